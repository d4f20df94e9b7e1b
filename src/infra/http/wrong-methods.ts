import type { FastifyInstance, RouteOptions } from 'fastify';
import { DomainError } from '../errors.js';
import { sendProblem } from './problem.filter.js';

/** Stands for every method that no route has: thirty more for each path would slow the start down. */
const ANY_OTHER = 'TRACE';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ANY_OTHER];

/** The method as the router is asked for it. */
export const asRoutedMethod = (method = ''): string => (METHODS.includes(method) ? method : ANY_OTHER);

/**
 * Listens to the routes that are registered from now on. The function it answers, called after the last of them, completes each path:
 * the methods it does not have answer 405 and name those it has in `Allow` (RFC 9110, 15.5.6). The router alone would say 404.
 */
export function answerWrongMethods(fastify: FastifyInstance): () => void {
  const paths = new Map<string, { url: string; methods: Set<string> }>();
  fastify.addHook('onRoute', ({ url, method }: RouteOptions) => {
    // Paths that differ in the names of their parameters only are one to the router.
    const key = url.replace(/:\w+/g, ':');
    const path = paths.get(key) ?? { url, methods: new Set() };
    for (const one of [method].flat()) path.methods.add(one);
    paths.set(key, path);
  });
  return () => {
    for (const { url, methods } of [...paths.values()]) if (!url.includes('*')) complete(fastify, url, methods);
  };
}

function complete(fastify: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allow = [...methods].sort().join(', ');
  const missing = METHODS.filter((method) => !methods.has(method));
  if (missing.length === 0) return;
  fastify.route({
    method: missing,
    url,
    handler: async (request, reply) => {
      reply.header('allow', allow);
      sendProblem(reply, new DomainError('METHOD_NOT_ALLOWED', `Only ${allow} may be used here.`), request.id);
      return reply;
    },
  });
}
