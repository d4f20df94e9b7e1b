import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { DomainError } from '../errors.js';
import { HeaderFault } from './fault-code.js';

const KEY = /^(?=.*[\x21-\x7e])[\x20-\x7e]{1,255}$/;

/** Whether this may be a key at all. */
export const isIdempotencyKey = (key: unknown): key is string => typeof key === 'string' && KEY.test(key);

/**
 * The request's `Idempotency-Key`, or undefined when it has none.
 * @throws DomainError VALIDATION_FAILED unless it is 1 to 255 printable ASCII characters
 */
export function idempotencyKeyOf(request: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (isIdempotencyKey(key)) return key;
  throw new HeaderFault('Idempotency-Key', 'Idempotency-Key must be 1 to 255 printable ASCII characters');
}

/** Parameter: the request's `Idempotency-Key`, or undefined. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined =>
  idempotencyKeyOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** What a key is compared with: the same call has the same digest. SHA-256, hex. */
export const digestOf = (call: unknown): string => createHash('sha256').update(JSON.stringify(call)).digest('hex');

export const keyReused = (): DomainError => new DomainError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another call.');
