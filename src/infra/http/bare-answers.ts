import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DomainError } from '../errors.js';
import { problemOf, type Answer } from './problem.filter.js';
import { API_HEADERS } from './security-headers.js';

/** How long a client that was refused may keep its side of the connection open. */
const LINGER_MS = 5000;

/** A refusal that is given before Fastify sees the request, with all that other answers have. */
function bareProblem(error: DomainError): Answer {
  const requestId = randomUUID();
  const { status, headers, body } = problemOf(error, requestId);
  return { status, body, headers: { ...API_HEADERS, 'x-request-id': requestId, ...headers, 'content-length': String(Buffer.byteLength(body)) } };
}

/** Refuses a request that could be read. Its connection goes on: what follows on it has its own answer. */
export function refuseRequest(error: DomainError, response: ServerResponse): void {
  // Its body, if it has one, stands before the next request.
  response.req.resume();
  const { headers, body } = bareProblem(error);
  response.writeHead(error.status, headers).end(body);
}

/** Refuses what never became a request, and ends the connection. */
export function refuseSocket(error: DomainError, socket: Duplex): void {
  const { headers, body } = bareProblem(error);
  const fields = Object.entries({ ...headers, date: new Date().toUTCString(), connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...fields, '', body].join('\r\n'));
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
}
