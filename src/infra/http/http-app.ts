import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LogController, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../../config/index.js';
import { createPino, PinoLoggerService } from '../logging/logger.js';
import { refuseConnection } from './answers-owed.js';
import { BodilessRoutes } from './bodiless-routes.js';
import { HotRoutes, type HotListener } from './hot-routes.js';
import { openServer } from './http-server.js';
import { BODY_LIMIT_BYTES, jsonBodyParser } from './json-body.js';
import { setPrefix, setUpDocs } from './openapi.js';
import { ProblemFilter, sendProblem, toDomainError } from './problem.filter.js';
import { API_HEADERS, securityHeaders } from './security-headers.js';
import { announceStop, isStopping } from './stopping.js';
import { validation } from './validation.js';
import { answerWrongMethods } from './wrong-methods.js';

/** How long running requests may take to finish once the process was told to stop. */
const CLOSE_GRACE_MS = 10_000;
const CLOSE_IDLE_EVERY_MS = 100;

/**
 * Builds the HTTP application around a root module: security headers, body limit, request ids, validation, problem+json
 * and OpenAPI. It is initialised but does not listen yet.
 */
export async function createHttpApp(root: Type | DynamicModule, settings: Settings): Promise<NestFastifyApplication> {
  const pino = createPino(settings.LOG_LEVEL);
  let hot: HotListener = (request, response, passOn) => void passOn(request, response);
  const adapter = new FastifyAdapter({
    loggerInstance: pino,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: (handler: RequestListener): Server => openServer((request, response) => hot(request, response, handler)),
    trustProxy: settings.TRUST_PROXY,
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseConnection,
  });
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: new PinoLoggerService(pino),
    rawBody: true,
    bodyParser: false,
    abortOnError: false,
  });
  setPrefix(app);
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(validation);
  app.useGlobalInterceptors(new BodilessRoutes());
  const fastify = app.getHttpAdapter().getInstance();
  // JSON is all that is taken: Fastify's own parsers would let text in, Nest's forms (hence `bodyParser: false`).
  fastify.removeAllContentTypeParsers();
  app.useBodyParser('application/json', { bodyLimit: BODY_LIMIT_BYTES }, jsonBodyParser(fastify));
  const completeRoutes = answerWrongMethods(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    // On the response itself, where they stay also for what answers without Fastify.
    for (const [name, value] of Object.entries(securityHeaders(request.url))) reply.raw.setHeader(name, value);
    done();
  });
  fastify.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // A client that kept the connection would be cut off with its next request.
    if (isStopping(fastify.server)) reply.header('connection', 'close');
  });
  setUpDocs(app);
  await app.init();
  completeRoutes();
  hot = app.get(HotRoutes, { strict: false }).listener(fastify.server);
  return app;
}

/** The router itself refuses an address that it can't decode, before any hook runs. */
function refuseAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(API_HEADERS).header('x-request-id', request.id);
  sendProblem(reply, toDomainError(error), request.id);
}

/**
 * Closes the application: every answer from now on ends its connection; after `graceMs`, in which requests that are on their way still come
 * in, no new ones are taken, running requests and jobs finish, and after a deadline what still hangs is cut.
 */
export async function closeHttpApp(app: NestFastifyApplication, graceMs = 0): Promise<void> {
  const server = app.getHttpServer();
  announceStop(server);
  if (graceMs > 0) await delay(graceMs);
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  // Connections go idle one after the other, as their requests are answered.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(deadline);
    clearInterval(idle);
  }
}
