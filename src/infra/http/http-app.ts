import helmet from '@fastify/helmet';
import { ValidationPipe, type DynamicModule, type Type, type ValidationPipeOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { ValidationError } from 'class-validator';
import { LogController, type FastifyBodyParser } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/index.js';
import { DomainError, ERROR_STATUS, type ErrorCode } from '../errors.js';
import { createPino, PinoLoggerService } from '../logging/logger.js';
import { ProblemFilter } from './problem.filter.js';

const BODY_LIMIT_BYTES = 64 * 1024;
/** How long running requests may take to finish once the process was told to stop. */
const CLOSE_GRACE_MS = 10_000;

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
    trustProxy: settings.TRUST_PROXY,
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: new PinoLoggerService(pino),
    rawBody: true,
    abortOnError: false,
  });
  app.setGlobalPrefix('api', { exclude: ['health/live', 'health/ready', 'metrics'] });
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new ValidationPipe(VALIDATION));
  app.useBodyParser('application/json', { bodyLimit: BODY_LIMIT_BYTES }, parseJsonBody(app));
  await app.register(helmet, { contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } });
  app.getHttpAdapter().getInstance().addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, OPEN_API), { jsonDocumentUrl: 'docs-json' });
  await app.init();
  return app;
}

/** An empty body is no body, whatever its content type says: `POST /orders/:id/pay` may be called without fields. */
function parseJsonBody(app: NestFastifyApplication): FastifyBodyParser<Buffer> {
  const parse = app.getHttpAdapter().getInstance().getDefaultJsonParser('error', 'error');
  return (request, body, done) => (body.length === 0 ? done(null, undefined) : parse(request, body.toString('utf8'), done));
}

/** A DTO class whose faults are told under another code than VALIDATION_FAILED says so in a static member of this name. */
export const FAULT_CODE = Symbol('fault code');

/** How request bodies are checked: unknown fields are refused, and the first fault becomes the detail. */
const VALIDATION: ValidationPipeOptions = {
  whitelist: true,
  forbidNonWhitelisted: true,
  transform: true,
  stopAtFirstError: true,
  exceptionFactory: (errors: ValidationError[]) => {
    const faults = errors.flatMap((error) => faultsOf(error));
    return new DomainError(faultCode(errors[0]?.target), faults[0]?.message ?? 'The request is not valid.', { errors: faults });
  },
};

function faultCode(dto: object | undefined): ErrorCode {
  const code: unknown = dto && Reflect.get(dto.constructor, FAULT_CODE);
  return typeof code === 'string' && code in ERROR_STATUS ? (code as ErrorCode) : 'VALIDATION_FAILED';
}

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

/**
 * Closes the application: new work is refused, running requests and jobs finish, and after a deadline what still hangs is cut.
 */
export async function closeHttpApp(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  deadline.unref();
  await app.close();
  clearTimeout(deadline);
}
