import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { isDatabaseUnavailable, isTransient } from '../database/mysql-errors.js';
import { DomainError, reasonOf, type ErrorCode } from '../errors.js';
import { isRedisUnavailable } from '../redis/redis-errors.js';
import { SparingLog } from '../logging/sparing-log.js';
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
const sparing = new SparingLog();

/** Turns whatever a request ran into into `application/problem+json` (RFC 9457) with a stable `code`. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerProblem(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** Answers with what went wrong with a request. */
function answerProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  sendProblem(reply, underRouteCode(reported(thrown, request), request), request.id);
}

/** The error that the client is told for anything thrown; what is our fault is logged. */
export function reported(thrown: unknown, request: Pick<FastifyRequest, 'id' | 'method' | 'url'> & Partial<Pick<FastifyRequest, 'routeOptions'>>): DomainError {
  const error = toDomainError(thrown);
  if (error.status < 500) return error;
  const fields = { requestId: request.id, method: request.method, path: request.url.split('?')[0], code: error.code };
  sparing.say(`${error.code} ${request.routeOptions?.url ?? request.method}`, (leftOut) => {
    const rest = leftOut > 0 ? { leftOut } : {};
    if (error.code === 'INTERNAL') logger.error({ ...fields, ...rest, err: thrown, msg: 'request failed' });
    else logger.warn({ ...fields, ...rest, reason: reasonOf(thrown), msg: 'request refused for now' });
  });
  return error;
}

/** An answer as it is sent, without the headers that all answers have. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Writes one problem document; also used where a route answers outside Nest's pipeline. */
export function sendProblem(reply: FastifyReply, error: DomainError, requestId: string): void {
  if (reply.sent) return;
  const { status, headers, body } = problemOf(error, requestId);
  void reply.status(status).headers(headers).send(body);
}

/** The only place that says how a problem is answered, in Nest's pipeline and beside it. */
export function problemOf(error: DomainError, requestId: string): Answer {
  const headers: Record<string, string> = { 'content-type': 'application/problem+json; charset=utf-8' };
  if (error.retryAfterMs !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  // A problem that is replayed keeps the id of the request that met it.
  return { status: error.status, headers, body: `${documentOf(error)},"requestId":${JSON.stringify(error.extra.requestId ?? requestId)}}` };
}

const documents = new WeakMap<DomainError, string>();

/** The document of an error but for its end, which is the request's. Kept, since a whole crowd may be told the same error. */
function documentOf(error: DomainError): string {
  const known = documents.get(error);
  if (known !== undefined) return known;
  const title = STATUS_CODES[error.status] ?? 'Error';
  const document = JSON.stringify({ ...error.extra, requestId: undefined, type: 'about:blank', title, status: error.status, code: error.code, detail: error.message }).slice(0, -1);
  documents.set(error, document);
  return document;
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
