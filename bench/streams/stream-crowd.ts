import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The streams of a crowd, over plain sockets: a full client would cost more than the service. */
export class StreamCrowd {
  private readonly sockets: Socket[] = [];
  private readonly url: URL;
  /** Events that came until now, in all. */
  events = 0;
  /** When each shopper, by index, read that the order was made. */
  readonly orderedAtMs = new Map<number, number>();

  constructor(base: string) {
    this.url = new URL(base);
  }

  /** Opens one stream and waits for its first event. */
  async open(index: number, path: string, token: string): Promise<void> {
    const socket = connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
    this.sockets.push(socket);
    await once(socket, 'connect');
    socket.on('error', () => undefined).setEncoding('latin1');
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${this.url.host}\r\nauthorization: Bearer ${token}\r\n\r\n`);
    await new Promise<void>((resolve, reject) => {
      socket.on('data', (chunk: string) => {
        const events = chunk.split('event: ticket').length - 1;
        this.events += events;
        if (chunk.includes('"status":"awaiting_payment"')) this.orderedAtMs.set(index, performance.now());
        if (events > 0) resolve();
        else if (chunk.startsWith('HTTP/1.1 ') && !chunk.startsWith('HTTP/1.1 200')) reject(new Error(chunk.slice(0, 300)));
      });
      socket.once('close', () => reject(new Error('a stream was closed')));
    });
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
