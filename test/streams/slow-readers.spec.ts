import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { TicketStream } from '../../src/seckill/streams/ticket-stream.js';
import { until } from '../harness/until.js';

const MOST_UNSENT_BYTES = 8192;

describe('the stream of a reader', () => {
  let server: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** A connection of which only the head is read, and then nothing. */
  const stalled = async (): Promise<{ socket: Socket; response: ServerResponse; stream: TicketStream }> => {
    const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined).pause();
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const [, response] = await asked;
    const stream = new TicketStream(response, '1', 'token', '');
    stream.start({ 'content-type': 'text/event-stream' });
    return { socket, response, stream };
  };
  /** Shows another status each time, so that none is left out for coming too soon. */
  const show = (stream: TicketStream, turn: number): void =>
    stream.show({ ticketId: `ticket-${turn}`, status: 'queued', seq: 1_000_000 + turn }, { served: 0, ratePerSecond: 1 }, performance.now());
  /** Shows states until the network takes no more. */
  const fill = async ({ response, stream }: Awaited<ReturnType<typeof stalled>>): Promise<number> => {
    let turn = 0;
    for (; response.writableLength < 4096 || turn % 100 !== 0; turn += 1) {
      show(stream, turn);
      if (turn % 100 === 0) await new Promise(setImmediate);
      if (turn > 2_000_000) throw new Error('the network takes everything');
    }
    return turn;
  };

  it('who takes nothing keeps little waiting here, however much happens', async () => {
    const reader = await stalled();
    let turn = await fill(reader);
    for (let more = 0; more < 10_000; more += 1) show(reader.stream, (turn += 1));
    expect(reader.response.writableLength).toBeLessThan(MOST_UNSENT_BYTES);
    reader.stream.beat();
    expect(reader.response.writableLength).toBeLessThan(MOST_UNSENT_BYTES);
  });

  it('who takes nothing is cut after some heartbeats', async () => {
    const reader = await stalled();
    await fill(reader);
    for (let beat = 0; beat < 4; beat += 1) reader.stream.beat();
    await until('the connection to be cut', () => reader.response.destroyed);
    expect(reader.stream.endedFor).toBe('stalled');
  });

  it('who takes nothing is cut also after the stream has ended', async () => {
    const reader = await stalled();
    await fill(reader);
    reader.stream.end('signed_out');
    for (let beat = 0; beat < 4; beat += 1) reader.stream.beat();
    await until('the connection to be cut', () => reader.response.destroyed);
    expect(reader.stream.endedFor).toBe('signed_out');
  });

  it('who was slow for a while gets the newest state, without those between', async () => {
    const reader = await stalled();
    const turn = await fill(reader);
    for (let missed = turn + 1; missed <= turn + 1000; missed += 1) show(reader.stream, missed);
    let text = '';
    reader.socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).resume();
    await until('everything to be read', () => reader.response.writableLength === 0);
    reader.stream.beat();
    show(reader.stream, turn + 2000);
    await until('the newest state', () => text.includes(`ticket-${turn + 2000}`));
    expect(text).not.toContain(`ticket-${turn + 900}"`);
    expect(reader.response.destroyed).toBe(false);
  });
});
