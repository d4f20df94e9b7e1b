import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** One try, as the receiver saw it. */
export interface Received {
  id: string;
  type: string;
  key: string;
  status: number;
  event: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into events of every shape
}

/** A merchant's system: verifies every message with the library and answers what `answer` says (200, another status, or nothing at all). */
export class Receiver {
  readonly tries: Received[] = [];
  readonly unverified: string[] = [];
  /** One per connection: by secret, since several endpoints may lead here. */
  secret = '';
  answer: (received: Received) => number | 'silence' | Promise<number | 'silence'> = () => 200;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        void receiver.take(Buffer.concat(parts).toString(), request.headers).then((status) => {
          if (status !== 'silence') response.writeHead(status, status >= 300 && status < 400 ? { location: '/elsewhere' } : {}).end('ok');
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hooks`;
  }

  /** Ids of the events that were taken, each as often as it was, in their order. */
  get taken(): Received[] {
    return this.tries.filter(({ status }) => status >= 200 && status < 300);
  }

  /** First arrivals only, by key. */
  byKey(): Map<string, Received[]> {
    const seen = new Set<string>();
    const lanes = new Map<string, Received[]>();
    for (const received of this.taken) {
      if (seen.has(received.id)) continue;
      seen.add(received.id);
      lanes.set(received.key, [...(lanes.get(received.key) ?? []), received]);
    }
    return lanes;
  }

  typesOf(key: string): string[] {
    return (this.byKey().get(key) ?? []).map(({ type }) => type);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(body: string, headers: IncomingHttpHeaders): Promise<number | 'silence'> {
    try {
      const event = new Webhook(this.secret).verify(body, headers as Record<string, string>) as Received['event'];
      if (event.id !== headers['webhook-id']) throw new Error('the ids differ');
      const received: Received = { id: event.id, type: event.type, key: event.data.order?.id ?? `sale ${event.data.sale?.id}`, status: 0, event };
      this.tries.push(received);
      const answer = await this.answer(received);
      received.status = answer === 'silence' ? 0 : answer;
      return answer;
    } catch (error) {
      this.unverified.push(String(error));
      return 400;
    }
  }
}
