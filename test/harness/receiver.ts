import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** One try, as the receiver saw it. */
export interface Received {
  id: string;
  type: string;
  key: string;
  /** What was answered; 0 as long as nothing is. */
  status: number;
  /** The body as it came. */
  body: string;
  event: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into events of every shape
}

/** A status; nothing at all; or an answer in a way of its own, which counts as `status`. */
export type Reply = number | 'silence' | { status: number; write: (response: ServerResponse) => void };

/** A merchant's system: verifies every message with the library and answers what `answer` says. */
export class Receiver {
  readonly tries: Received[] = [];
  readonly unverified: string[] = [];
  /** What came and what was taken, as it happened: whoever is to come later must not come before that is taken. */
  readonly journal: { what: 'came' | 'taken'; received: Received }[] = [];
  /** One per connection: by secret, since several endpoints may lead here. */
  secret = '';
  /** The most connections that were open at a time. */
  mostConnections = 0;
  answer: (received: Received) => Reply | Promise<Reply> = () => 200;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        void receiver.take(Buffer.concat(parts).toString(), request.headers).then((reply) => answer(response, reply));
      });
    });
    server.on('connection', () => server.getConnections((_, open) => (receiver.mostConnections = Math.max(receiver.mostConnections, open))));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hooks`;
  }

  /** Ids of the events that were taken, each as often as it was, in their order. */
  get taken(): Received[] {
    return this.tries.filter(isTaken);
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

  private async take(body: string, headers: IncomingHttpHeaders): Promise<Reply> {
    try {
      const event = new Webhook(this.secret).verify(body, headers as Record<string, string>) as Received['event'];
      if (event.id !== headers['webhook-id']) throw new Error('the ids differ');
      const received: Received = { id: event.id, type: event.type, key: event.data.order?.id ?? `sale ${event.data.sale?.id}`, status: 0, body, event };
      this.tries.push(received);
      this.journal.push({ what: 'came', received });
      const reply = await this.answer(received);
      received.status = reply === 'silence' ? 0 : typeof reply === 'number' ? reply : reply.status;
      if (isTaken(received)) this.journal.push({ what: 'taken', received });
      return reply;
    } catch (error) {
      this.unverified.push(String(error));
      return 400;
    }
  }
}

const isTaken = ({ status }: Received): boolean => status >= 200 && status < 300;

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'silence') return;
  if (typeof reply !== 'number') return reply.write(response);
  response.writeHead(reply, reply >= 300 && reply < 400 ? { location: '/elsewhere' } : {}).end('ok');
}
