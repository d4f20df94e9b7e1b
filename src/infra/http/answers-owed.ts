import type { ConnectionError } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DomainError, type ErrorCode } from '../errors.js';
import { refuseSocket } from './bare-answers.js';

/** What a connection is owed: clients may send requests before they have the answers to earlier ones, which come in their order. */
interface Owed {
  answers: Set<ServerResponse>;
  /** That of the newest request. */
  last?: ServerResponse;
  /** Set once something came that can't be read: nothing after it will be. */
  refusal?: DomainError;
}

const connections = new WeakMap<Duplex, Owed>();

function owedTo(socket: Duplex): Owed {
  const known = connections.get(socket);
  if (known) return known;
  const owed: Owed = { answers: new Set() };
  connections.set(socket, owed);
  return owed;
}

/** Remembers an answer until it was given, and says how many its connection is owed now. */
export function owe(response: ServerResponse): number {
  const { socket } = response.req;
  const owed = owedTo(socket);
  owed.answers.add(response);
  owed.last = response;
  response.on('close', settled);
  return owed.answers.size;
}

/** One function for all answers: a listener of its own for each is work that every request would pay for. */
function settled(this: ServerResponse): void {
  const { socket } = this.req;
  const owed = owedTo(socket);
  owed.answers.delete(this);
  if (owed.refusal) refuseInTurn(owed, owed.refusal, socket);
}

/** Refuses what can't be read as HTTP. */
export function refuseConnection(fault: Pick<ConnectionError, 'code'>, socket: Duplex): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  refuseAtLast(refusalOf(fault.code), socket);
}

/** Ends a connection with a refusal, after the answers to all that came before: clients match answers to requests by their order. */
export function refuseAtLast(refusal: DomainError, socket: Duplex): void {
  const owed = owedTo(socket);
  // Whatever comes after what can't be read is a fault again.
  if (owed.refusal) return;
  owed.refusal = refusal;
  refuseInTurn(owed, refusal, socket);
}

function refuseInTurn({ answers, last }: Owed, refusal: DomainError, socket: Duplex): void {
  if (!socket.writable) return;
  // The newest request may be the unreadable one, by its body; it gets one answer, which may be under way already.
  const unread = last?.req.complete === false ? last : undefined;
  for (const answer of answers) if (answer !== unread || answer.headersSent) return;
  if (unread?.headersSent) socket.end();
  else refuseSocket(refusal, socket);
}

const FAULTS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The headers are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['BODY_TOO_LARGE', 'The chunks have more extensions than anybody needs.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request took too long to come in.'],
};

function refusalOf(fault: string): DomainError {
  const [code, detail] = FAULTS[fault] ?? ['VALIDATION_FAILED', 'This is no HTTP request that can be read.'];
  return new DomainError(code, detail);
}
