import helmet from '@fastify/helmet';
import { ValidationPipe, type DynamicModule, type Type, type ValidationPipeOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { ValidationError } from 'class-validator';
import { LogController, type ConnectionError, type FastifyBodyParser, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../../config/index.js';
import { DomainError } from '../errors.js';
import { createPino, PinoLoggerService } from '../logging/logger.js';
import { ProblemFilter, sendProblem, toDomainError } from './problem.filter.js';
import { answerWrongMethods } from './wrong-methods.js';

const BODY_LIMIT_BYTES = 64 * 1024;
const MOST_LEVELS = 20;
/** How long a client may take to send its request. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How long running requests may take to finish once the process was told to stop. */
const CLOSE_GRACE_MS = 10_000;
const CLOSE_IDLE_EVERY_MS = 100;

/**
 * Builds the HTTP application around a root module: security headers, body limit, request ids, validation, problem+json
 * and OpenAPI. It is initialised but does not listen yet.
 */
export async function createHttpApp(root: Type | DynamicModule, settings: Settings): Promise<NestFastifyApplication> {
  const pino = createPino(settings.LOG_LEVEL);
  const adapter = new FastifyAdapter({
    loggerInstance: pino,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
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
  app.setGlobalPrefix('api', { exclude: ['health/live', 'health/ready', 'metrics'] });
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new ValidationPipe(VALIDATION));
  const fastify = app.getHttpAdapter().getInstance();
  // JSON is all that is taken: Fastify's own parsers would let text in, Nest's forms (hence `bodyParser: false`).
  fastify.removeAllContentTypeParsers();
  app.useBodyParser('application/json', { bodyLimit: BODY_LIMIT_BYTES }, parseJsonBody(app));
  const completeRoutes = answerWrongMethods(fastify);
  await app.register(helmet, { contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } });
  fastify.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // A client that kept the connection would be cut off with its next request.
    if (stopping.has(fastify.server)) reply.header('connection', 'close');
  });
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, OPEN_API), { jsonDocumentUrl: 'docs-json' });
  await app.init();
  completeRoutes();
  return app;
}

/** The router itself refuses an address that it can't decode, before any hook runs. */
function refuseAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  sendProblem(reply, toDomainError(error), request.id);
}

/** What can't be read as HTTP at all never becomes a request. */
function refuseConnection(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const title = STATUS_CODES[status];
  const body = JSON.stringify({ type: 'about:blank', title, status, code: 'VALIDATION_FAILED', detail: 'This is no HTTP request that can be read.', requestId: randomUUID() });
  const head = [`HTTP/1.1 ${status} ${title}`, 'content-type: application/problem+json; charset=utf-8', `content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * An empty body is no body, whatever its content type says: `POST /orders/:id/pay` may be called without fields. Nesting is bounded, since
 * what reads the body after this goes down into it by recursion.
 */
function parseJsonBody(app: NestFastifyApplication): FastifyBodyParser<Buffer> {
  const parse = app.getHttpAdapter().getInstance().getDefaultJsonParser('error', 'error');
  return (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    return parse(request, body.toString('utf8'), (error, value) => {
      const fault = error === null ? faultOfBody(value) : undefined;
      if (fault === undefined) done(error, value);
      else done(new DomainError('VALIDATION_FAILED', fault));
    });
  };
}

/** Looks for what the validation of fields can't see: it passes over names that every object has, such as `constructor`. */
function faultOfBody(value: unknown): string | undefined {
  let level = [value];
  for (let depth = 0; depth <= MOST_LEVELS; depth += 1) {
    const objects = level.filter((entry) => typeof entry === 'object' && entry !== null);
    const inherited = objects.flatMap((entry) => Object.keys(entry)).find((name) => name in Object.prototype);
    if (inherited !== undefined) return `property ${inherited} should not exist`;
    level = objects.flatMap((entry): unknown[] => Object.values(entry));
    if (level.length === 0) return undefined;
  }
  return `The body is nested deeper than ${MOST_LEVELS} levels.`;
}

/** How request bodies are checked: unknown fields are refused, and the first fault becomes the detail. */
const VALIDATION: ValidationPipeOptions = {
  whitelist: true,
  forbidNonWhitelisted: true,
  transform: true,
  stopAtFirstError: true,
  exceptionFactory: (errors: ValidationError[]) => {
    const faults = errors.flatMap((error) => faultsOf(error));
    return new DomainError('VALIDATION_FAILED', faults[0]?.message ?? 'The request is not valid.', { errors: faults });
  },
};

/** Flattens nested validation errors to `{field: 'items.0.stock', message}`. */
function faultsOf(error: ValidationError, path = ''): { field: string; message: string }[] {
  const field = path === '' ? error.property : `${path}.${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((message) => ({ field, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, field))];
}

const OPEN_API = new DocumentBuilder()
  .setTitle('Seckill')
  .setDescription('Flash-sale order service: join a sale, follow the ticket, pay the order.')
  .setVersion('1')
  .addBearerAuth()
  .build();

/** Servers whose process is about to stop. */
const stopping = new WeakSet<object>();

/** Whether the process of this server is about to stop, so that nobody should send it anything new. */
export const isStopping = (server: object): boolean => stopping.has(server);

/**
 * Closes the application: every answer from now on ends its connection; after `graceMs`, in which requests that are on their way still come
 * in, no new ones are taken, running requests and jobs finish, and after a deadline what still hangs is cut.
 */
export async function closeHttpApp(app: NestFastifyApplication, graceMs = 0): Promise<void> {
  const server = app.getHttpServer();
  stopping.add(server);
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
