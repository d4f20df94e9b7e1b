import type { Redis } from 'ioredis';
import type { Duplex } from 'node:stream';

/**
 * Lets all commands that come up in one turn of the event loop leave in one write. A crowd's requests arrive many to a turn, and a system
 * call for each command costs the process more than the command (docs/decisions/0024). Order, answers and time limits stay as they are:
 * each command is on its own, unlike in a pipeline.
 */
export function inOneWrite(client: Redis): void {
  client.on('connect', () => {
    // It exists from here on, whatever the type says of the time before.
    const stream: Duplex = client.stream;
    const write = stream.write.bind(stream);
    let isCorked = false;
    const cork = (): void => {
      if (isCorked) return;
      isCorked = true;
      stream.cork();
      setImmediate(() => {
        isCorked = false;
        stream.uncork();
      });
    };
    stream.write = (...args: unknown[]): boolean => {
      cork();
      return (write as (...rest: unknown[]) => boolean)(...args);
    };
  });
}
