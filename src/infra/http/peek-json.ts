import type { IncomingMessage } from 'node:http';

/** Longer ones are read where all bodies are read, which knows more ways to say how long they are. */
const MOST_BYTES = 4096;
const PLAIN_JSON = /^application\/json(?:; ?charset=utf-8)?$/i;

/**
 * Looks at the JSON that comes with a request, where it plainly comes with some: by its type, a length that is said, and its content.
 * @param seen gets the value, and a function that puts the body back, so that who reads the request next finds it whole
 * @param pass is called where there is none; the request is as it came
 */
export function peekJson(request: IncomingMessage, seen: (value: unknown, putBack: () => void) => void, pass: () => void): void {
  const { 'content-type': type = '', 'content-length': length, 'transfer-encoding': coding, 'content-encoding': encoding } = request.headers;
  const bytes = Number(length);
  if (!PLAIN_JSON.test(type) || coding !== undefined || encoding !== undefined || !(bytes > 0 && bytes <= MOST_BYTES)) return pass();
  collect(request, bytes, (body) => {
    const putBack = (): void => {
      request.pause();
      request.unshift(body);
    };
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      putBack();
      return pass();
    }
    seen(value, putBack);
  });
}

/** Before the request's end is told, since nothing can be put back after it. A client that goes away first is never heard of here. */
function collect(request: IncomingMessage, bytes: number, whole: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let missing = bytes;
  const take = (chunk: Buffer): void => {
    chunks.push(chunk);
    missing -= chunk.length;
    if (missing > 0) return;
    request.off('data', take);
    whole(chunks.length === 1 ? chunk : Buffer.concat(chunks));
  };
  request.on('data', take);
}
