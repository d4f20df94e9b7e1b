import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { isDatabaseUnavailable, isTransient } from '../database/mysql-errors.js';
import { DomainError, reasonOf, type ErrorCode } from '../errors.js';
import { isRedisUnavailable } from '../redis/redis-errors.js';
import { underRouteCode } from './fault-code.js';

const CODE_OF_STATUS: Record<number, ErrorCode> = {
  400: 'VALIDATION_FAILED',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'BODY_TOO_LARGE',
  // An id too long for the router: nothing has that id.
  414: 'NOT_FOUND',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
};

const logger = new Logger('Http');

/** Turns whatever a request ran into into `application/problem+json` (RFC 9457) with a stable `code`. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerProblem(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** The only place that says what went wrong with a request, in Nest's pipeline and beside it. */
export function answerProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = underRouteCode(toDomainError(thrown), request);
  if (error.status >= 500) report(thrown, error, request);
  sendProblem(reply, error, request.id);
}

function report(thrown: unknown, error: DomainError, request: FastifyRequest): void {
  const fields = { requestId: request.id, method: request.method, path: request.url.split('?')[0], code: error.code };
  if (error.code === 'INTERNAL') logger.error({ ...fields, err: thrown, msg: 'request failed' });
  else logger.warn({ ...fields, reason: reasonOf(thrown), msg: 'request refused for now' });
}

/** Writes one problem document; also used where a route answers outside Nest's pipeline. */
export function sendProblem(reply: FastifyReply, error: DomainError, requestId: string): void {
  if (reply.sent) return;
  if (error.retryAfterMs !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))));
  if (error.status === 401) reply.header('www-authenticate', 'Bearer');
  void reply
    .status(error.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(
      JSON.stringify({
        ...error.extra,
        type: 'about:blank',
        title: STATUS_CODES[error.status] ?? 'Error',
        status: error.status,
        code: error.code,
        detail: error.message,
        // A problem that is replayed keeps the id of the request that met it.
        requestId: error.extra.requestId ?? requestId,
      }),
    );
}

/** Maps anything thrown to the one error the client sees; details of unexpected faults stay in the log. */
export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  const status = statusOf(thrown);
  // 503 comes from the health check.
  if (status === 503 || isRedisUnavailable(thrown) || isDatabaseUnavailable(thrown) || isTransient(thrown)) {
    return new DomainError('UNAVAILABLE', 'The service can not answer right now; try again shortly.', {}, { retryAfterMs: 1000, cause: thrown });
  }
  const code = status === undefined ? undefined : CODE_OF_STATUS[status];
  if (code !== undefined && thrown instanceof Error) return new DomainError(code, detailOf(status, thrown.message), {}, { cause: thrown });
  return new DomainError('INTERNAL', 'Something went wrong on our side.', {}, { cause: thrown });
}

/** Says what to do, where the framework says only what it did not like. */
function detailOf(status: number | undefined, message: string): string {
  if (status === 404) return `${message}: /docs lists the calls there are.`;
  if (status === 415) return 'A body must be JSON, with the header content-type: application/json.';
  return message;
}

/** Nest's HttpException and Fastify's own errors (`FST_…`, bad JSON) both name a status. */
function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number') return thrown.statusCode;
  return undefined;
}
