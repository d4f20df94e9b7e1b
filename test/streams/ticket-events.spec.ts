import type { Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { expectRefusal } from '../contract/refusals.js';
import { until } from '../harness/until.js';
import { EventReader } from './event-reader.js';

describe('the event stream of a ticket', () => {
  let shop: Shop;
  let readers: EventReader[] = [];
  beforeAll(async () => {
    shop = await Shop.open({ STREAM_HEARTBEAT_SECONDS: '1' }, ['api', 'scheduler']);
  });
  afterEach(() => {
    for (const reader of readers) reader.close();
    readers = [];
  });
  afterAll(() => shop.close());

  const path = (sale: TestSale): string => `/sales/${sale.id}/ticket/events`;
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
  const ticket = async (shopper: Api, sale: TestSale) => ok(await shopper.get(`/sales/${sale.id}/ticket`), 200).body;
  /** Lets a worker, which is another process as far as the stream can tell, decide what waits. */
  const withWorker = async (work: () => Promise<void>): Promise<void> => {
    const worker = await shop.start(['worker']);
    try {
      await work();
    } finally {
      await shop.stop(worker);
    }
  };

  it('begins with the ticket as the poll route shows it, in the headers that a stream needs', async () => {
    const sale = await shop.sale();
    const shopper = await queued(sale);
    const reader = await open(shopper, sale);
    const { event, id, data } = await reader.when('queued');
    expect({ event, data }).toEqual({ event: 'ticket', data: await ticket(shopper, sale) });
    expect(id).toBe(`${data.ticketId}.queued.1`);
    expect(reader.response.status).toBe(200);
    const headers = Object.fromEntries(reader.response.headers);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/), 'x-content-type-options': 'nosniff',
    });
    expect(reader.retries).toEqual([expect.any(Number)]);
  });

  it('refuses as a problem, before it begins, whoever has nothing to follow', async () => {
    const sale = await shop.sale();
    const shopper = await shop.shopper();
    await expectRefusal(shop, () => shop.api.get(path(sale)), 401, 'UNAUTHENTICATED');
    await expectRefusal(shop, () => shopper.get(path(sale)), 404, 'NO_TICKET');
    await expectRefusal(shop, () => shopper.get('/sales/999999/ticket/events'), 404, 'SALE_NOT_FOUND');
    await expectRefusal(shop, () => shopper.get('/sales/x/ticket/events'), 404, 'SALE_NOT_FOUND');
  });

  it('tells at once of the order, made in another process, and of its payment, and ends', async () => {
    const sale = await shop.sale();
    const shopper = await queued(sale);
    const reader = await open(shopper, sale);
    await reader.when('queued');
    await withWorker(async () => {
      const { data } = await reader.when('awaiting_payment');
      expect(data).toEqual(await ticket(shopper, sale));
      ok(await shopper.post(`/orders/${data.orderId}/pay`), 200);
      expect((await reader.when('paid')).data).toEqual(await ticket(shopper, sale));
      await reader.over();
      expect(reader.statuses).toEqual(['queued', 'awaiting_payment', 'paid']);
      // There is nothing to come back for.
      expect(reader.retries).toHaveLength(1);
    });
  });

  it('tells within half a second of what happens to a ticket', async () => {
    const sale = await shop.sale();
    const shopper = await queued(sale);
    const reader = await open(shopper, sale);
    await reader.when('queued');
    // Not by one of the looks that make good for lost hints: ten in a row would not all come that soon.
    for (let round = 0; round < 10; round += 1) {
      const [next, at] = [await queued(sale), performance.now()];
      const follower = await open(next, sale);
      await follower.when('queued');
      ok(await next.delete(`/sales/${sale.id}/ticket`), 204);
      const leftMs = performance.now();
      const left = await follower.when('left');
      expect(left.atMs).toBeGreaterThan(at);
      expect(left.atMs - leftMs).toBeLessThan(500);
      await follower.over();
    }
    expect(reader.statuses).toEqual(['queued']);
  });

  it('tells of a place in the standby line, of its moves, and of the unit that comes back', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }], standbyLimit: 5 });
    const [winner, first, second] = [await queued(sale), await queued(sale), await queued(sale)];
    const [ofFirst, ofSecond] = [await open(first, sale), await open(second, sale)];
    await withWorker(async () => {
      expect((await ofFirst.when('standby')).data).toMatchObject({ position: 1 });
      expect((await ofSecond.when('standby')).data).toMatchObject({ position: 2 });
      const { orderId } = await shop.ticketWhen(winner, sale, ['awaiting_payment']);
      ok(await winner.post(`/orders/${orderId}/cancel`), 200);
      await ofFirst.when('awaiting_payment');
      await until('the second to move up', () => ofSecond.last.data.position === 1);
      expect(ofSecond.last.data).toEqual(await ticket(second, sale));
    });
  });

  it('tells of the end of a ticket that finds nothing left, and of an order that is cancelled', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    const [winner, loser] = [await queued(sale), await queued(sale)];
    const [ofWinner, ofLoser] = [await open(winner, sale), await open(loser, sale)];
    await withWorker(async () => {
      expect((await ofLoser.when('sold_out')).data).toEqual(await ticket(loser, sale));
      const { data } = await ofWinner.when('awaiting_payment');
      ok(await winner.post(`/orders/${data.orderId}/cancel`), 200);
      expect((await ofWinner.when('cancelled')).data).toMatchObject({ reason: 'CANCELLED_BY_SHOPPER' });
    });
    for (const reader of [ofWinner, ofLoser]) await reader.over();
  });

  it('shows the moving place at most once a second, and only where it has moved', async () => {
    const sale = await shop.sale({ items: [{ stock: 1000 }] });
    const { id: saleId } = sale;
    const shoppers = await shop.shoppers(5);
    for (const shopper of shoppers) ok(await shop.join(shopper, sale), 202);
    const reader = await open(shoppers[4] as Api, sale);
    await reader.when('queued');
    // As a claim does, from the shard's own counter: a worker would be through with all of them at once.
    for (const served of [1, 2, 3]) {
      await shop.redis.hset(`seckill:{${saleId}:0}:sale`, 'served', served);
      await until(`place ${5 - served}`, () => reader.last.data.position === 5 - served);
    }
    const times = reader.events.map(({ atMs }) => atMs);
    for (const [index, atMs] of times.entries()) if (index > 0) expect(atMs - (times[index - 1] ?? 0)).toBeGreaterThan(800);
    expect(reader.events.map(({ data }) => data.position)).toEqual([5, 4, 3, 2]);
  });

  it('sends who comes back with the last id nothing again, and whatever has changed since', async () => {
    const sale = await shop.sale();
    const shopper = await queued(sale);
    const first = await open(shopper, sale);
    const { id } = await first.when('queued');
    first.close();
    const second = await open(shopper, sale, id);
    await until('a heartbeat', () => second.comments > 0);
    expect(second.events).toEqual([]);
    second.close();
    await withWorker(async () => {
      await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    });
    const third = await open(shopper, sale, id);
    expect(await third.when('awaiting_payment')).toMatchObject({ data: await ticket(shopper, sale) });
    expect(third.events).toHaveLength(1);
  });

  it('sends who has seen the end away for good, and others the end', async () => {
    const sale = await shop.sale();
    const shopper = await queued(sale);
    ok(await shopper.delete(`/sales/${sale.id}/ticket`), 204);
    const unaware = await open(shopper, sale, 'whatever');
    const { id } = await unaware.when('left');
    await unaware.over();
    const again = await open(shopper, sale, id);
    expect(again.response.status).toBe(204);
    await again.over();
    expect(again.events).toEqual([]);
  });

  it('follows the shopper into a new ticket', async () => {
    const sale = await shop.sale();
    const shopper = await queued(sale);
    ok(await shopper.delete(`/sales/${sale.id}/ticket`), 204);
    const ended = await open(shopper, sale);
    const { id } = await ended.when('left');
    const { ticketId } = ok(await shop.join(shopper, sale), 202).body;
    expect((await (await open(shopper, sale, id)).when('queued')).data.ticketId).toBe(ticketId);
  });

  it('ends within a few seconds when the session is closed', async () => {
    const sale = await shop.sale();
    const shopper = await queued(sale);
    const reader = await open(shopper, sale);
    await reader.when('queued');
    ok(await shopper.post('/auth/logout'), 204);
    await reader.over(5000);
    expect(reader.statuses).toEqual(['queued']);
    expect(reader.retries).toHaveLength(2);
    expect((await open(shopper, sale)).response.status).toBe(401);
  });

  it('answers HEAD without opening anything', async () => {
    const sale = await shop.sale();
    const shopper = await queued(sale);
    for (let repeat = 0; repeat < 10; repeat += 1) {
      const { status, headers } = ok(await shopper.call('HEAD', path(sale)), 200);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    }
    expect((await open(shopper, sale)).response.status).toBe(200);
  });
});
