import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './api.js';

/** How long an answer may take. */
const DEADLINE_MS = 10_000;

/** As a part: breaks the connection off instead of sending anything. */
export const CUT = Symbol('cut');

/** Sends bytes over a connection of its own, part by part, and answers all that comes back until the server closes it. */
export function exchange(base: string, ...parts: (string | typeof CUT)[]): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => { text += chunk; }).on('close', () => resolve(text)).on('error', reject);
    socket.on('connect', () => writeOneByOne(parts));
    // Each part waits until the one before it was handed to the system, and so arrives on its own.
    const writeOneByOne = ([part, ...rest]: typeof parts): void => {
      if (part === CUT) socket.destroy();
      else if (part !== undefined) socket.write(part, 'latin1', () => setImmediate(() => writeOneByOne(rest)));
    };
  });
}

/** Sends a text as it stands, as no HTTP library would, over a connection of its own. Answers whatever came back until the server closed it, or until `count` answers were there. */
export async function converse(base: string, text: string, { count = Infinity, halfClose = false } = {}): Promise<Answer[]> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let received = '';
  socket.setEncoding('latin1').on('data', (part: string) => (received += part));
  // A server may close before all was written.
  socket.on('error', () => undefined);
  const over = Promise.race([once(socket, 'end'), once(socket, 'close')]);
  try {
    if (halfClose) socket.end(text);
    else socket.write(text);
    const deadlineMs = Date.now() + DEADLINE_MS;
    const closed = over.then(() => true);
    while (wholeIn(received).length < count && !(await Promise.race([closed, delay(20, false)]))) {
      if (Date.now() > deadlineMs) throw new Error(`the connection is still open after ${DEADLINE_MS} ms; it said: ${received}`);
    }
    return wholeIn(received).map(({ status, headers, body }) => ({ status, headers: new Headers(headers), body: readBody(body) }));
  } finally {
    socket.destroy();
  }
}

export interface RawAnswer {
  status: number;
  /** By name in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** The answers in what a server sent, one after the other; those that have a body say how long it is. */
export function answersIn(text: string): RawAnswer[] {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return [];
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  const [from, length] = [end + 4, Number(headers['content-length'] ?? 0)];
  return [{ status: Number(first.split(' ')[1]), headers, body: text.slice(from, from + length) }, ...answersIn(text.slice(from + length))];
}

/** Those that have come to their end. */
const wholeIn = (text: string): RawAnswer[] => answersIn(text).filter(({ headers, body }) => body.length === Number(headers['content-length'] ?? 0));

/** JSON, or the text where it is none. */
function readBody(latin1: string): unknown {
  const text = Buffer.from(latin1, 'latin1').toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
