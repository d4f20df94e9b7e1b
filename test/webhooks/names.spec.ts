import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { resolver, type Resolve } from '../../src/webhooks/name-resolution.js';

const SILENT = ['slow.test', 'localhost'];

/** A DNS server of one answer: each name has the address 93.184.215.14 and no other, but some get no answer at all. */
async function serveDns(): Promise<Socket> {
  const server = createSocket('udp4');
  server.on('message', (query, { address, port }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('ascii', at + 1, at + 1 + length));
      at += length + 1;
    }
    if (SILENT.includes(labels.join('.'))) return;
    const question = query.subarray(12, at + 5);
    const isAddress = query.readUInt16BE(at + 1) === 1;
    const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]);
    const answer = isAddress ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 215, 14]) : Buffer.alloc(0);
    server.send(Buffer.concat([head, question, answer]), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('the names of webhooks', () => {
  let server: Socket;
  let resolve: Resolve;
  beforeAll(async () => {
    server = await serveDns();
    resolve = resolver([`127.0.0.1:${(server.address()).port}`]);
  });
  afterAll(() => {
    server.close();
  });

  const addressesOf = (host: string): Promise<string[]> =>
    new Promise((done, fail) => resolve(host, {}, (error, addresses) => (error ? fail(error) : done(addresses.map(({ address }) => address)))));

  it('of this machine need no name server', async () => {
    expect(await addressesOf('localhost')).toContain('127.0.0.1');
  });

  it('that get no answer hold up no other', async () => {
    const order: string[] = [];
    const silent = Array.from({ length: 20 }, () => addressesOf('slow.test').catch(() => order.push('silent')));
    expect(await addressesOf('good.test')).toEqual(['93.184.215.14']);
    order.push('good');
    await Promise.all(silent);
    expect(order).toEqual(['good', ...Array<string>(20).fill('silent')]);
  });

  it('that DNS does not know may be known to the machine', async () => {
    const nobody = resolver(['127.0.0.1:9']);
    const found = await new Promise<string[]>((done) => nobody('localhost', {}, (_, addresses) => done((addresses ?? []).map(({ address }) => address))));
    expect(found.some((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
  });
});
