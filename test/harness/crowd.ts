import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestSale } from './shop.js';

/** What a request of the crowd was answered: the status, and the body as text. */
export interface CrowdAnswer {
  status: number;
  text: string;
}

/** The service closes connections on which nothing was asked for five seconds; a request that meets this is lost. */
const MOST_IDLE_MS = 3000;

/**
 * A client for tens of thousands of requests, over as many keep-alive connections as there are requests at a time. It knows just enough of
 * HTTP for this service's answers, since a full client would cost the test more than the service. Close it at the end.
 */
export class Crowd {
  private readonly url: URL;
  private readonly free: Connection[] = [];
  private readonly all: Connection[] = [];

  /** @param base address of the API, as `Api` has it */
  constructor(base: string) {
    this.url = new URL(base);
  }

  /** One unit of the sale's first item. */
  join(token: string, sale: TestSale): Promise<CrowdAnswer> {
    return this.post(`/sales/${sale.id}/tickets`, token, JSON.stringify({ items: [{ itemId: sale.itemIds[0], quantity: 1 }] }));
  }

  get(path: string, token: string): Promise<CrowdAnswer> {
    return this.send(`GET ${this.url.pathname}${path}`, token, '');
  }

  post(path: string, token: string, body = ''): Promise<CrowdAnswer> {
    return this.send(`POST ${this.url.pathname}${path}`, token, `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  close(): void {
    for (const connection of this.all) connection.close();
  }

  private async send(line: string, token: string, rest: string): Promise<CrowdAnswer> {
    const connection = this.fresh() ?? (await this.connect());
    const answer = await connection.ask(`${line} HTTP/1.1\r\nhost: ${this.url.host}\r\nauthorization: Bearer ${token}\r\n${rest || '\r\n'}`);
    this.free.push(connection);
    return answer;
  }

  /** The one that was used last, unless the service may be closing it just now. */
  private fresh(): Connection | undefined {
    const last = this.free.pop();
    if (last?.isFresh !== false) return last;
    for (const stale of [last, ...this.free.splice(0)]) stale.close();
    return undefined;
  }

  private async connect(): Promise<Connection> {
    const socket = connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
    await once(socket, 'connect');
    const connection = new Connection(socket);
    this.all.push(connection);
    return connection;
  }
}

/** One request after the other over one socket. */
class Connection {
  private received: Buffer = Buffer.alloc(0);
  private waiting: { resolve: (answer: CrowdAnswer) => void; reject: (error: Error) => void } | undefined;

  private usedAtMs = performance.now();

  constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error('the service closed the connection')));
  }

  get isFresh(): boolean {
    return performance.now() - this.usedAtMs < MOST_IDLE_MS;
  }

  ask(request: string): Promise<CrowdAnswer> {
    return new Promise((resolve, reject) => {
      this.usedAtMs = performance.now();
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.received.toString('latin1', 0, headEnd);
    const end = headEnd + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (this.received.length < end) return;
    const answer = { status: Number(head.slice(9, 12)), text: this.received.toString('utf8', headEnd + 4, end) };
    this.received = this.received.subarray(end);
    this.waiting?.resolve(answer);
  }
}

/** The outcome of an answer in one word: the problem's code, or the ticket's status. */
export function outcomeOf({ status, text }: CrowdAnswer): string {
  const body: unknown = text === '' ? {} : JSON.parse(text);
  if (typeof body !== 'object' || body === null) return String(status);
  if ('code' in body) return String(body.code);
  return 'status' in body ? String(body.status) : String(status);
}
