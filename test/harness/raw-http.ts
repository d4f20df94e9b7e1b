import { connect } from 'node:net';

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
