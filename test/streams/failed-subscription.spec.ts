import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamPlaces } from '../../src/seckill/streams/stream-places.js';
import { TicketStream } from '../../src/seckill/streams/ticket-stream.js';
import { TicketStreams } from '../../src/seckill/streams/ticket-streams.js';
import type { Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { EventReader, tokenOf } from './event-reader.js';

/** How soon a hint tells, at most; without one it takes up to three seconds. */
const SOON_MS = 700;

describe('event streams of a sale whose hints Redis does not let the service hear', () => {
  let shop: Shop;
  const readers: EventReader[] = [];
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
  });
  afterEach(() => allow());
  afterAll(async () => {
    for (const reader of readers) reader.close();
    await shop.close();
  });

  /** New channels are refused; what is subscribed to stays, or its connection would be cut. */
  const deny = async (): Promise<void> => {
    const channels = (await shop.redis.call('PUBSUB', 'CHANNELS')) as string[];
    await shop.redis.call('ACL', 'SETUSER', 'default', 'resetchannels', ...channels.map((channel) => `&${channel}`));
  };
  const allow = (): Promise<unknown> => shop.redis.call('ACL', 'SETUSER', 'default', 'allchannels');
  const subscribers = async (sale: TestSale): Promise<unknown> => ((await shop.redis.call('PUBSUB', 'NUMSUB', `seckill:tickets:${sale.id}:0`)) as unknown[])[1];
  const waiting = async (): Promise<{ sale: TestSale; shopper: Api }> => {
    const sale = await shop.sale();
    const shopper = await shop.shopper();
    ok(await shop.join(shopper, sale), 202);
    return { sale, shopper };
  };
  const open = async (shopper: Api, sale: TestSale): Promise<EventReader> => {
    const reader = await EventReader.open(shopper, sale);
    readers.push(reader);
    return reader;
  };
  const expectHints = async (reader: EventReader, { sale, shopper }: { sale: TestSale; shopper: Api }): Promise<void> => {
    await reader.when('queued');
    ok(await shopper.delete(`/sales/${sale.id}/ticket`), 204);
    const leftMs = performance.now();
    expect((await reader.when('left')).atMs - leftMs).toBeLessThan(SOON_MS);
  };

  it('are opened, and told of changes at once, as soon as it does', async () => {
    const one = await waiting();
    await deny();
    expect((await open(one.shopper, one.sale)).response.ok).toBe(false);
    await allow();
    const reader = await open(one.shopper, one.sale);
    expect(reader.response.status).toBe(200);
    await expectHints(reader, one);
  });

  it('hear of changes again although one was open while subscribing failed', async () => {
    const one = await waiting();
    await deny();
    // Between its look at the subscription and its start the last other stream may have closed, and the subscription with it.
    const stream = await adoptedStream(one.shopper, one.sale);
    await expect(shop.get(TicketStreams).following({ saleId: one.sale.id, shard: 0 })).rejects.toThrow('NOPERM');
    await allow();
    await until('the subscription', async () => (await subscribers(one.sale)) === 1, 5000);
    await expectHints(stream, one);
  });

  /** A stream that is adopted without having waited for the subscription. */
  async function adoptedStream(shopper: Api, sale: TestSale): Promise<EventReader> {
    const userId = String(ok(await shopper.get('/auth/me'), 200).body.id);
    const server = createServer((_, response: ServerResponse) => {
      const stream = new TicketStream(response, userId, tokenOf(shopper), '');
      stream.start({ 'content-type': 'text/event-stream', connection: 'close' });
      shop.get(StreamPlaces).take(userId);
      shop.get(TicketStreams).adopt(stream, { saleId: sale.id, shard: 0 }, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const reader = await EventReader.at(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, tokenOf(shopper));
    server.close();
    readers.push(reader);
    return reader;
  }
});
