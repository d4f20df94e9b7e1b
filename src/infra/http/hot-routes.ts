import { Global, Injectable, Module } from '@nestjs/common';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '../errors.js';
import { BODY_LIMIT_BYTES, jsonBodyParser } from './json-body.js';
import { answerProblem } from './problem.filter.js';
import { SECURITY_HEADERS } from './security-headers.js';
import { isStopping } from './stopping.js';

/** A route that a whole crowd calls at once. What `handle` answers is sent as JSON, with the status that it has set; the reply itself says that it was sent. */
export interface HotRoute {
  method: 'GET' | 'POST';
  /** As Fastify's router has it. */
  path: string;
  /** The addresses that are served here; any other form of one goes to the controller. */
  pattern: RegExp;
  /** As `@FaultCode` has it. */
  faultCode?: ErrorCode;
  handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/**
 * Routes that are answered before Nest sees them: by a Fastify of their own behind the same server, without Nest's hooks, guards, pipes and
 * interceptors (docs/decisions/0024). Each of them has a controller, too, which documents it and answers what is not plainly for it.
 */
@Injectable()
export class HotRoutes {
  private readonly routes: HotRoute[] = [];

  add(...routes: HotRoute[]): void {
    this.routes.push(...routes);
  }

  /** Starts to serve what was added. The function it answers takes a request and says true, or leaves it alone. */
  async open(server: object): Promise<(request: IncomingMessage, response: ServerResponse) => boolean> {
    const { routes } = this;
    if (routes.length === 0) return () => false;
    const app = fastify({ bodyLimit: BODY_LIMIT_BYTES, genReqId: () => randomUUID(), return503OnClosing: false });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, jsonBodyParser(app));
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
      if (isStopping(server)) reply.header('connection', 'close');
      done();
    });
    app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply));
    for (const { method, path, faultCode, handle } of routes) app.route({ method, url: path, handler: handle, config: { ...(faultCode && { faultCode }) } });
    await app.ready();
    return (request, response) => {
      const { method, url = '' } = request;
      const isHot = routes.some((route) => route.method === method && route.pattern.test(url));
      if (isHot) app.routing(request, response);
      return isHot;
    };
  }
}

@Global()
@Module({ providers: [HotRoutes], exports: [HotRoutes] })
export class HotRoutesModule {}
