import { randomUUID } from 'node:crypto';
import { saleKeys } from '../../src/goods/index.js';
import { ordered, rejected, ScriptBench, serials, type TestShard } from './test-shard.js';

/** The faults of the third seed article (pitfalls.md, section 3), as far as they concern the scripts. */
describe('pitfalls of the queue and its stock lists', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  const withOrder = async (plan = {}): Promise<TestShard> => {
    const shard = await bench.loaded(plan);
    await shard.join('a');
    await shard.orderAll();
    return shard;
  };

  it('two preloads do not push the tokens twice', async () => {
    const shard = bench.empty({ stock: { 1: 3 } });
    await Promise.all([shard.load(), shard.load()]);
    await shard.load();
    expect(await shard.free()).toEqual([1, 2, 3]);
  });

  it('a preload in the middle of the sale does not refill it', async () => {
    const shard = await withOrder({ stock: { 1: 3 } });
    await shard.load();
    expect(await shard.free()).toEqual([2, 3]);
  });

  it('a wiped Redis is loaded with what is free, not with the whole stock, and buyers stay known', async () => {
    const shard = await withOrder({ stock: { 1: 3 }, limitPerUser: 1 });
    await shard.redis.flushall();
    expect(await shard.join('b')).toEqual({ outcome: 'not_loaded' });
    await shard.load({
      epoch: '2', tokens: new Map([['1', [2, 3]]]), units: [['a:1', 1]], liveTickets: [['a', 1]],
      tickets: [['a', { ticketId: 'ticket-a', status: 'awaiting_payment', seq: 0 }]],
    });
    expect(await shard.free()).toEqual([2, 3]);
    expect(await shard.join('a', undefined, 'again')).toEqual({ outcome: 'unpaid_order' });
  });

  it('every token has its serial, so that one that is lost or doubled can be named', async () => {
    const shard = await bench.loaded({ stock: { 1: 3, 2: 2 } });
    await shard.join('a', { 1: 2, 2: 1 });
    await shard.claim();
    const places = await shard.stock.tokenPlaces(shard.at, ['1', '2']);
    expect(places?.inList).toEqual(new Map([['1', [3]], ['2', [2]]]));
    expect(places?.claimed.map(({ itemId, serial }) => `${itemId}:${serial}`)).toEqual(['1:1', '1:2', '2:1']);
  });

  it('a line far longer than the stock costs 300 bytes a place at most, and is over in a few claims', async () => {
    const CROWD = 20_000;
    const shard = await bench.loaded({ stock: { 1: 10 } });
    const userIds = Array.from({ length: CROWD }, (_, index) => String(1_000_000 + index));
    const memory = async (): Promise<number> => {
      const sizes = await Promise.all((await shard.keys()).map(async (key) => Number(await shard.redis.memory('USAGE', key, 'SAMPLES', 0))));
      return sizes.reduce((total, size) => total + size, 0);
    };
    const before = await memory();
    for (let from = 0; from < CROWD; from += 1000) await Promise.all(userIds.slice(from, from + 1000).map((user) => shard.join(user, { 1: 1 }, randomUUID())));
    expect(((await memory()) - before) / CROWD).toBeLessThan(300);

    let claims = 0;
    for (let claim = await shard.claim({ maxTickets: 5000 }); claim.outcome === 'claimed'; claim = await shard.claim({ maxTickets: 5000 })) {
      claims += 1;
      await shard.settle(claim.tickets.map(({ ticketId }) => ordered(ticketId)));
      expect(await shard.join(`late-${claims}`)).toMatchObject({ outcome: 'sold_out' });
    }
    expect(claims).toBeLessThanOrEqual(CROWD / 5000 + 1);
    expect(await shard.queue()).toEqual([]);
    const statuses = await Promise.all(userIds.map(async (user) => (await shard.ticket(user))?.status));
    expect([statuses.filter((status) => status === 'awaiting_payment').length, statuses.filter((status) => status === 'sold_out').length]).toEqual([10, CROWD - 10]);
  });

  it('there is one waiting ticket for a shopper in a sale, and one in another sale beside it', async () => {
    const [first, second] = [await bench.loaded(), await bench.loaded()];
    await first.join('a');
    await second.join('a', undefined, 'elsewhere');
    expect(await first.join('a', undefined, 'again')).toEqual({ outcome: 'already_queued' });
    expect([(await first.ticket('a'))?.ticketId, (await second.ticket('a'))?.ticketId]).toEqual(['ticket-a', 'elsewhere']);
  });

  it('an unpaid order bars its shopper until it is paid or ends', async () => {
    const shard = await withOrder();
    expect(await shard.join('a', undefined, 'again')).toEqual({ outcome: 'unpaid_order' });
    await shard.finish('a', 'paid');
    expect(await shard.join('a', undefined, 'again')).toMatchObject({ outcome: 'queued' });
  });

  it('refused calls do not raise the counter', async () => {
    const shard = await bench.loaded();
    for (let i = 0; i < 10; i += 1) await shard.join('a', undefined, `t${i}`);
    expect(await shard.live('a')).toBe(1);
    await shard.leave('a');
    expect(await shard.live('a')).toBe(0);
  });

  it('status, counter and queue entry come in one step: nobody sees one without the others', async () => {
    const shard = await bench.loaded();
    let isDone = false;
    const joining = Promise.all(serials(1, 300).map((user) => shard.join(`u${user}`))).finally(() => (isDone = true));
    const halves: unknown[] = [];
    while (!isDone) {
      const looks = await shard.redis.multi().hlen(saleKeys.status(shard.at)).hlen(saleKeys.count(shard.at)).llen(saleKeys.queue(shard.at)).exec();
      const found = (looks ?? []).map(([, size]) => size);
      if (new Set(found).size !== 1) halves.push(found);
    }
    await joining;
    expect(halves).toEqual([]);
  });

  it('a late repeat of the join does not turn a status back to queued', async () => {
    const shard = await withOrder();
    await shard.join('a');
    expect((await shard.ticket('a'))?.status).toBe('awaiting_payment');
  });

  it('a drain that dies after the claim costs no shopper the turn and no token', async () => {
    const shard = await bench.loaded({ stock: { 1: 2 } });
    for (const userId of ['a', 'b', 'c']) await shard.join(userId);
    const { tickets } = await shard.claimed({ drainId: 'dying', leaseMs: 1, maxTickets: 1 });
    await shard.passed((await shard.nowMs()) + 1);
    expect((await shard.claimed({ drainId: 'next' })).tickets).toEqual(tickets);
    await shard.settle([ordered('ticket-a')], { drainId: 'next' });
    const rest = await shard.claimed({ drainId: 'next' });
    expect(rest.tickets.map(({ userId, lines }) => [userId, lines[0]?.serials])).toEqual([['b', [2]]]);
    expect((await shard.ticket('c'))?.status).toBe('sold_out');
  });

  it('a sold-out item does not hold up the line behind it', async () => {
    const shard = await bench.loaded({ stock: { 1: 1, 2: 5 } });
    for (const userId of ['a', 'b', 'c']) await shard.join(userId, { 1: 1 });
    await shard.join('d', { 2: 1 });
    expect((await shard.claimed()).tickets.map(({ userId }) => userId)).toEqual(['a', 'd']);
  });

  it('who gets nothing reads sold_out, not nothing, and may join for something else', async () => {
    const shard = await bench.loaded({ stock: { 1: 1, 2: 1 } });
    for (const userId of ['a', 'b']) await shard.join(userId, { 1: 1 });
    await shard.claim();
    expect(await shard.ticket('b')).toMatchObject({ status: 'sold_out', reason: 'SOLD_OUT' });
    expect(await shard.live('b')).toBe(0);
    expect(await shard.join('b', { 1: 1 }, 'again')).toEqual({ outcome: 'sold_out', itemId: '1', left: 0 });
    expect(await shard.join('b', { 2: 1 }, 'again')).toMatchObject({ outcome: 'queued' });
  });

  it('a winner who clicks again reads what he holds, not sold_out, and eats no unit', async () => {
    const shard = await withOrder({ stock: { 1: 1 }, limitPerUser: 1 });
    expect(await shard.join('a', undefined, 'again')).toEqual({ outcome: 'unpaid_order' });
    await shard.finish('a', 'paid');
    expect(await shard.join('a', undefined, 'again')).toMatchObject({ outcome: 'limit_reached' });
    expect(await shard.units('a')).toBe(1);
  });

  it('a refused ticket gives back its token, its units and its turn: nobody is stuck', async () => {
    const shard = await bench.loaded({ stock: { 1: 1 }, limitPerUser: 1 });
    await shard.join('a');
    await shard.claim();
    await shard.settle([rejected('ticket-a')]);
    expect(await shard.join('a', undefined, 'again')).toMatchObject({ outcome: 'queued' });
  });

  it('the last unit leaves the item known: it is sold out, and a returned unit can be sold', async () => {
    const shard = await withOrder({ stock: { 1: 1 } });
    expect(await shard.join('b')).toEqual({ outcome: 'sold_out', itemId: '1', left: 0 });
    expect(await shard.redis.hexists(saleKeys.goods(shard.at), '1')).toBe(1);
    await shard.finish('a', 'expired');
    await shard.release(1, { serial: 1, userId: 'a' });
    expect(await shard.join('b')).toMatchObject({ outcome: 'queued' });
    expect((await shard.claimed()).tickets.map(({ userId, lines }) => [userId, lines[0]?.serials])).toEqual([['b', [1]]]);
  });

  it('an unpaid order that ends gives its token back once, its units by the same amount, and its shopper free', async () => {
    const shard = await bench.loaded({ stock: { 1: 3 }, limitPerUser: 3 });
    await shard.join('a', { 1: 3 });
    await shard.orderAll();
    const giveBack = async (): Promise<void> => {
      for (const serial of [1, 2, 3]) await shard.release(serial, { serial, userId: 'a' });
      await shard.finish('a', 'expired');
    };
    await giveBack();
    await giveBack();
    expect([await shard.free(), await shard.units('a'), await shard.live('a')]).toEqual([[1, 2, 3], 0, 0]);
    expect(await shard.join('a', { 1: 3 }, 'again')).toMatchObject({ outcome: 'queued' });
  });

  it('the length of the list is the stock: nothing else counts it', async () => {
    const shard = await withOrder({ stock: { 1: 3 } });
    expect(await shard.stock.free(shard.at, '1')).toBe(2);
    const fields = Object.keys(await shard.redis.hgetall(saleKeys.sale(shard.at)));
    expect(fields.filter((field) => /stock|left|sold/i.test(field))).toEqual([]);
  });
});
