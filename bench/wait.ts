import { createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** Asks again and again until the answer is truthy. @throws Error after `timeoutMs` */
export async function until<T>(what: string, ask: () => Promise<T>, timeoutMs = 60_000, everyMs = 10): Promise<NonNullable<T>> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadlineMs) throw new Error(`gave up waiting for ${what} after ${timeoutMs / 1000} s`);
    await delay(everyMs);
  }
}

/** A port of the loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
