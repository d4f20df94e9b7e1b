import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './api.js';

/** How long an answer may take. */
const DEADLINE_MS = 10_000;

/** What no HTTP library sends: the text as it stands, over a connection of its own. Answers whatever came back until the server closed it, or until `count` answers were there. */
export async function exchange(base: string, text: string, { count = Infinity, halfClose = false } = {}): Promise<Answer[]> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => (received += part));
  // A server may close before all was written.
  socket.on('error', () => undefined);
  const over = Promise.race([once(socket, 'end'), once(socket, 'close')]);
  try {
    if (halfClose) socket.end(text);
    else socket.write(text);
    const deadlineMs = Date.now() + DEADLINE_MS;
    const closed = over.then(() => true);
    while (answersIn(received).length < count && !(await Promise.race([closed, delay(20, false)]))) {
      if (Date.now() > deadlineMs) throw new Error(`the connection is still open after ${DEADLINE_MS} ms; it said: ${received}`);
    }
    return answersIn(received);
  } finally {
    socket.destroy();
  }
}

/** The whole answers in a text, each of which must say its length. */
function answersIn(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; ; ) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) return answers;
    const [line = '', ...fields] = rest.slice(0, headEnd).split('\r\n');
    const headers = new Headers(fields.map((field): [string, string] => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1).trim()]));
    const bytes = Buffer.from(rest.slice(headEnd + 4));
    const length = Number(headers.get('content-length') ?? 0);
    if (bytes.length < length) return answers;
    answers.push({ status: Number(line.split(' ')[1]), headers, body: bodyOf(bytes.subarray(0, length).toString()) });
    rest = bytes.subarray(length).toString();
  }
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
