import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Stands before a real server, and can do to its connections what a network, a host or a wrong clock does. */
export class Proxy {
  private readonly sockets = new Set<Socket>();
  private isFrozen = false;
  private isCut = false;
  /** What becomes of a piece of an answer, byte for character (latin1). Lengths are announced before texts, so they must stay. */
  rewrite: ((answer: string) => string) | undefined;
  /** For how long answers are under way. */
  delayMs = 0;
  /** Pieces of answers that wait for that to pass. */
  answersUnderWay = 0;

  private constructor(
    private readonly server: Server,
    /** The address of the server behind it, with host and port of the proxy. */
    readonly url: string,
  ) {}

  static async before(serverUrl: string): Promise<Proxy> {
    const [target, own] = [new URL(serverUrl), new URL(serverUrl)];
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    own.port = String((server.address() as AddressInfo).port);
    const proxy = new Proxy(server, own.href);
    server.on('connection', (client) => proxy.join(client, connect(Number(target.port), target.hostname)));
    return proxy;
  }

  /** Connections stay open, nothing goes through any more. */
  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Every connection ends, and so does each new one. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** All as it was. */
  heal(): void {
    [this.isFrozen, this.isCut, this.rewrite, this.delayMs] = [false, false, undefined, 0];
    for (const socket of this.sockets) socket.resume();
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private join(client: Socket, upstream: Socket): void {
    client.on('data', (chunk: Buffer) => upstream.write(chunk));
    upstream.on('data', (chunk: Buffer) => this.answer(client, chunk));
    for (const [socket, other] of [[client, upstream], [upstream, client]] as const) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      if (this.isFrozen) socket.pause();
      if (this.isCut) socket.destroy();
    }
  }

  private answer(client: Socket, chunk: Buffer): void {
    const bytes = this.rewrite ? Buffer.from(this.rewrite(chunk.toString('latin1')), 'latin1') : chunk;
    if (this.delayMs === 0) client.write(bytes);
    else this.answerLater(client, bytes);
  }

  private answerLater(client: Socket, bytes: Buffer): void {
    this.answersUnderWay += 1;
    setTimeout(() => {
      this.answersUnderWay -= 1;
      client.write(bytes);
    }, this.delayMs);
  }
}
