import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DomainError } from '../errors.js';
import { owe, refuseAtLast } from './answers-owed.js';
import { refuseRequest } from './bare-answers.js';
import { asRoutedMethod } from './wrong-methods.js';

/** How long a client may take to send its request. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Requests that one connection may have under way at once; a client of this API waits for its answers. */
const MOST_AT_ONCE = 100;
const PUT_OFF_MS = 1000;

/**
 * The server below Fastify. What Node would refuse in words of its own is refused here, as a problem like any other: the request reaches
 * `handle` only if there is nothing against it.
 */
export function openServer(handle: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, requireHostHeader: false }, (request, response) => {
    const refusal = owe(response) > MOST_AT_ONCE ? tooMany() : faultOf(request);
    if (refusal) return refuseRequest(refusal, response);
    request.method = asRoutedMethod(request.method);
    return handle(request, response);
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    owe(response);
    refuseRequest(new DomainError('EXPECTATION_FAILED', 'The only expectation that is met is 100-continue.'), response);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    // From here on Node looks after the connection no more.
    socket.on('error', () => undefined).resume();
    refuseAtLast(new DomainError('NOT_IMPLEMENTED', 'There are no tunnels here.'), socket);
  });
  // Who has sent all and closes this side still waits for the answer. Node has this switch, and no option for it.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

function faultOf({ headers, httpVersion }: IncomingMessage): DomainError | undefined {
  if (headers.host === undefined && httpVersion === '1.1') return new DomainError('VALIDATION_FAILED', 'The Host header is missing.');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return new DomainError('NOT_IMPLEMENTED', 'The only transfer coding that is taken is chunked.');
  return undefined;
}

const tooMany = (): DomainError =>
  new DomainError('TOO_MANY_REQUESTS', `More than ${MOST_AT_ONCE} requests of this connection are under way.`, {}, { retryAfterMs: PUT_OFF_MS });
