import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { EventReader } from './event-reader.js';

describe('event streams of tickets', () => {
  let shop: Shop;
  let readers: EventReader[] = [];
  let api: Api;
  beforeAll(async () => {
    shop = await Shop.open({ STREAM_HEARTBEAT_SECONDS: '1', STREAMS_MAX: '6', STREAMS_PER_SHOPPER: '2' }, ['api']);
    api = shop.api;
  });
  afterEach(async () => {
    for (const reader of readers) reader.close();
    readers = [];
    await gauge(0);
  });
  afterAll(() => shop.close());

  const open = async (shopper: Api, sale: TestSale, lastEventId?: string): Promise<EventReader> => {
    const reader = await EventReader.open(shopper, sale, lastEventId);
    readers.push(reader);
    return reader;
  };
  const queued = async (sale: TestSale): Promise<Api> => {
    const shopper = await shop.shopper();
    ok(await shop.join(shopper, sale), 202);
    return shopper;
  };
  const following = async (sale: TestSale): Promise<{ shopper: Api; reader: EventReader }> => {
    const shopper = await queued(sale);
    const reader = await open(shopper, sale);
    await reader.when('queued');
    return { shopper, reader };
  };
  const withWorker = async (work: () => Promise<void>): Promise<void> => {
    const worker = await shop.start(['worker']);
    try {
      await work();
    } finally {
      await shop.stop(worker);
    }
  };
  /** Waits until the process counts so many open streams. */
  const gauge = (count: number): Promise<boolean> =>
    until(`${count} open streams in the metrics`, async () => {
      const text = await (await fetch(new URL('/metrics', api.base))).text();
      return text.includes(`seckill_ticket_streams ${count}\n`);
    });
  /** Cuts the connections that subscribe, and those that do not. */
  const killConnections = async (): Promise<void> => {
    for (const type of ['pubsub', 'normal'] as const) await shop.redis.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
  };

  it('are so many for a shopper, and so many in all, and a place is free again when its stream is closed', async () => {
    const sale = await shop.sale({ items: [{ stock: 20 }] });
    const { shopper, reader } = await following(sale);
    await open(shopper, sale);
    const { response } = await open(shopper, sale);
    expect([response.status, response.headers.get('content-type'), response.headers.get('retry-after')]).toEqual([429, 'application/problem+json; charset=utf-8', '5']);
    await gauge(2);
    for (let count = 3; count <= 6; count += 1) await following(sale);
    const last = await queued(sale);
    const refused = await open(last, sale);
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([503, '5']);
    await gauge(6);
    reader.close();
    await gauge(5);
    expect((await open(last, sale)).response.status).toBe(200);
  });

  it('go on when every connection to Redis is cut in the middle', async () => {
    const sale = await shop.sale();
    const { shopper, reader } = await following(sale);
    await killConnections();
    await withWorker(async () => {
      const { data } = await reader.when('awaiting_payment');
      expect(data).toEqual(ok(await shopper.get(`/sales/${sale.id}/ticket`), 200).body);
    });
    expect(reader.isOver).toBe(false);
  });

  it('hear hints again after the subscriber connection was cut', async () => {
    const sale = await shop.sale();
    await following(sale);
    await killConnections();
    await until('the subscription to be back', async () => {
      const [, count] = (await shop.redis.call('PUBSUB', 'NUMSUB', `seckill:tickets:${sale.id}:0`)) as [string, number];
      return count === 1;
    });
    for (let round = 0; round < 5; round += 1) {
      const { shopper, reader } = await following(sale);
      ok(await shopper.delete(`/sales/${sale.id}/ticket`), 204);
      const leftMs = performance.now();
      expect((await reader.when('left')).atMs - leftMs).toBeLessThan(500);
      await reader.over();
    }
  });

  it('unsubscribe from a sale that nobody follows any more', async () => {
    const sale = await shop.sale();
    const { reader } = await following(sale);
    const subscribers = async (): Promise<unknown> => ((await shop.redis.call('PUBSUB', 'NUMSUB', `seckill:tickets:${sale.id}:0`)) as unknown[])[1];
    expect(await subscribers()).toBe(1);
    reader.close();
    await until('nobody to listen', async () => (await subscribers()) === 0);
  });

  it('stay open with heartbeats while Redis answers nothing, and go on afterwards', async () => {
    const sale = await shop.sale();
    const { shopper, reader } = await following(sale);
    await shop.redis.call('CLIENT', 'PAUSE', '8000', 'ALL');
    const before = reader.comments;
    await until('two heartbeats', () => reader.comments >= before + 2, 7500);
    await until('an answer of Redis', () => shop.redis.ping());
    expect(reader.isOver).toBe(false);
    await until('the shopper to leave', async () => (await shopper.delete(`/sales/${sale.id}/ticket`)).status === 204);
    await reader.when('left');
    expect(reader.statuses).toEqual(['queued', 'left']);
  });

  it('make good for a hint that never came', async () => {
    const sale = await shop.sale();
    const { reader } = await following(sale);
    const key = `seckill:{${sale.id}:0}:status`;
    const [userId = '', json = ''] = Object.entries(await shop.redis.hgetall(key))[0] ?? [];
    await shop.redis.hset(key, userId, JSON.stringify({ ...JSON.parse(json), status: 'awaiting_payment' }));
    await reader.when('awaiting_payment', 5000);
  });

  it('survive that the state is built anew, and show nothing that is not so', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    const { shopper, reader } = await following(sale);
    const bought = await shop.shopper();
    await withWorker(async () => {
      await reader.when('awaiting_payment');
      await shop.buy(bought, sale);
    });
    const ofBought = await open(bought, sale);
    await ofBought.when('awaiting_payment');
    await shop.wipe(sale);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    const { orderId } = ok(await shopper.get(`/sales/${sale.id}/ticket`), 200).body;
    ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    await reader.when('cancelled');
    expect(reader.statuses).toEqual(['queued', 'awaiting_payment', 'cancelled']);
    expect(ofBought.statuses).toEqual(['awaiting_payment']);
    expect(ofBought.isOver).toBe(false);
  });

  it('of a ticket that was lost with Redis end, and who comes back reads that there is none', async () => {
    const sale = await shop.sale();
    const { shopper, reader } = await following(sale);
    await shop.wipe(sale);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    await reader.over();
    expect(reader.statuses).toEqual(['queued']);
    expect((await open(shopper, sale)).response.status).toBe(404);
  });

  it('show nothing of a state that may have fallen back', async () => {
    const sale = await shop.sale();
    const { shopper, reader } = await following(sale);
    const shard = `seckill:{${sale.id}:0}`;
    const [userId = '', json = ''] = Object.entries(await shop.redis.hgetall(`${shard}:status`))[0] ?? [];
    // As after a restart: another server, on which an older ticket stands. The build that follows keeps what MySQL and the tickets say.
    await shop.redis.multi()
      .hset(`${shard}:sale`, 'runId', 'another')
      .hset(`${shard}:status`, userId, JSON.stringify({ ...JSON.parse(json), id: 'older', status: 'sold_out' }))
      .publish(`seckill:tickets:${sale.id}:0`, '*')
      .exec();
    const refused = await open(shopper, sale);
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    await shop.redis.hset(`${shard}:status`, userId, json);
    await shop.redis.hset(`${shard}:sale`, 'runId', (await shop.redis.info('server')).match(/^run_id:(\w+)/m)?.[1] ?? '');
    ok(await shopper.delete(`/sales/${sale.id}/ticket`), 204);
    await reader.when('left');
    expect(reader.statuses).toEqual(['queued', 'left']);
  });

  it('end in good order when their process stops, and are taken up by another', async () => {
    const sale = await shop.sale();
    const other: NestFastifyApplication = await shop.start(['api']);
    const otherUrl = `${await other.getUrl()}/api/sales/${sale.id}/ticket/events`;
    const { token } = (await shop.tokens(1))[0] ?? { token: '' };
    ok(await shop.join(shop.api.as(token), sale), 202);
    const reader = await EventReader.at(otherUrl, token);
    const { id } = await reader.when('queued');
    const startedMs = performance.now();
    await shop.stop(other);
    expect(performance.now() - startedMs).toBeLessThan(5000);
    await reader.over(1000);
    expect(reader.wasCut).toBe(false);
    expect(reader.retries).toHaveLength(2);
    const third = await shop.start(['api']);
    const again = await open(shop.api.as(token), sale, id);
    ok(await shop.api.as(token).delete(`/sales/${sale.id}/ticket`), 204);
    await again.when('left');
    expect(again.statuses).toEqual(['left']);
    await again.over();
    await shop.stop(third);
  });
});
