import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../errors.js';
import { unknownField } from './fault-words.js';

export const BODY_LIMIT_BYTES = 64 * 1024;
const MOST_LEVELS = 20;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;
/** The first is a part of the second. */
const READABLE = ['us-ascii', 'utf-8', 'utf8'];

type Done = (error: Error | null, value?: unknown) => void;

/**
 * Reads a JSON body. An empty body is no body, whatever its content type says: `POST /orders/:id/pay` may be called without fields. Nesting
 * is bounded, since what reads the body after this goes down into it by recursion.
 */
export function jsonBodyParser(fastify: Pick<FastifyInstance, 'getDefaultJsonParser'>): (request: FastifyRequest, body: Buffer, done: Done) => void {
  const parse = fastify.getDefaultJsonParser('error', 'error') as (request: FastifyRequest, body: string, done: Done) => void;
  return (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isPlainUtf8(request.headers)) return done(new DomainError('UNSUPPORTED_MEDIA_TYPE', 'A body must be UTF-8, and not be compressed.'));
    return parse(request, body.toString('utf8'), (error, value) => {
      const fault = error === null ? faultOf(value, 0) : undefined;
      if (fault === undefined) done(error, value);
      else done(new DomainError('VALIDATION_FAILED', fault));
    });
  };
}

/** What was written in other characters, or compressed, may read as JSON all the same, and as something else than was meant. */
function isPlainUtf8(headers: FastifyRequest['headers']): boolean {
  const charsets = [...(headers['content-type'] ?? '').matchAll(CHARSET)].map(([, charset = '']) => charset.toLowerCase());
  const encoding = headers['content-encoding'] ?? 'identity';
  return charsets.every((charset) => READABLE.includes(charset)) && encoding.toLowerCase() === 'identity';
}

/** Looks for what the validation of fields can't see: it passes over names that every object has, such as `constructor`. */
function faultOf(value: unknown, depth: number): string | undefined {
  if (depth > MOST_LEVELS) return `The body is nested deeper than ${MOST_LEVELS} levels.`;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of Object.keys(value)) {
    if (name in Object.prototype) return unknownField(name);
    const fault = faultOf(value[name as keyof typeof value], depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
