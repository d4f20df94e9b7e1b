import { inParallel } from '../harness/parallel.js';
import { ordered, orderOf, rejected, requeued, ScriptBench, serials, type TestShard } from './test-shard.js';

describe('settle.lua', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  /** A shard where these shoppers have joined and were claimed. */
  const claimed = async (userIds: string[], plan = {}): Promise<TestShard> => {
    const shard = await bench.loaded(plan);
    for (const userId of userIds) await shard.join(userId);
    await shard.claim();
    return shard;
  };
  const figures = (shard: TestShard): Promise<unknown> => shard.stock.figures(shard.at);
  const claimedUsers = async (shard: TestShard): Promise<string[]> => (await shard.claimed()).tickets.map(({ userId }) => userId);

  it('shows an ordered ticket its order, and keeps its units and its live count', async () => {
    const shard = await claimed(['a']);
    expect(await shard.settle([ordered('ticket-a')])).toBe('settled');
    expect(await shard.ticket('a')).toEqual({
      ticketId: 'ticket-a', status: 'awaiting_payment', seq: 1, joinedAtMs: expect.any(Number),
      orderId: 'order-ticket-a', amountMinor: 100, currency: 'EUR', payBeforeMs: 1_900_000_000_000,
    });
    expect([await shard.live('a'), await shard.units('a'), await shard.free()]).toEqual([1, 1, serials(2, 10)]);
    expect(await figures(shard)).toMatchObject({ claimed: 0 });
  });

  it.each([1, 99_999_999_999_999, 100_000_000_000_001, 123_456_789_012_345, Number.MAX_SAFE_INTEGER])('keeps an amount of %i to the last digit', async (amountMinor) => {
    const shard = await claimed(['a']);
    await shard.settle([{ ...ordered('ticket-a'), amountMinor } as never]);
    expect((await shard.ticket('a'))?.amountMinor).toBe(amountMinor);
    await shard.seckill.finish(shard.at, { epoch: '1', userId: 'a', ticketId: 'ticket-a', status: 'paid', reason: null, ...orderOf('ticket-a'), amountMinor });
    expect((await shard.ticket('a'))?.amountMinor).toBe(amountMinor);
    expect((await shard.ticket('a'))?.payBeforeMs).toBe(1_900_000_000_000);
  });

  it.each([['LIMIT_REACHED', 'rejected'], ['SOLD_OUT', 'sold_out']])('ends a rejected ticket with its reason %s as %s and gives its tokens back', async (reason, status) => {
    const shard = await claimed(['a']);
    await shard.settle([rejected('ticket-a', reason)]);
    expect(await shard.ticket('a')).toEqual({ ticketId: 'ticket-a', status, seq: 1, reason });
    expect([await shard.live('a'), await shard.units('a'), await shard.free()]).toEqual([0, 0, serials(1, 10)]);
  });

  it('puts a requeued ticket back to its place, with its sequence number and its tokens in their old order', async () => {
    const shard = await claimed(['a', 'b', 'c']);
    await shard.join('d');
    await shard.settle([ordered('ticket-b'), requeued('ticket-a'), requeued('ticket-c')]);
    expect(await shard.queue()).toEqual(['1 a', '3 c', '4 d']);
    expect(await shard.free()).toEqual([1, 3, ...serials(4, 10)]);
    expect([await shard.live('a'), await shard.units('a'), (await shard.ticket('a'))?.status]).toEqual([1, 0, 'queued']);
    expect(await claimedUsers(shard)).toEqual(['a', 'c', 'd']);
  });

  it('keeps the order of the joins among several that go back, whatever the order they are told in', async () => {
    const shard = await claimed(['a', 'b', 'c', 'd', 'e']);
    await shard.settle([requeued('ticket-c'), requeued('ticket-e')]);
    await shard.settle([requeued('ticket-b'), requeued('ticket-d'), requeued('ticket-a')]);
    expect(await shard.queue()).toEqual(['1 a', '2 b', '3 c', '4 d', '5 e']);
    expect(await claimedUsers(shard)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('does not give back a token that is held elsewhere, but the units', async () => {
    const shard = await bench.loaded({ stock: { 1: 3, 2: 2 } });
    await shard.join('a', { 1: 3, 2: 1 });
    await shard.claim();
    await shard.settle([requeued('ticket-a', [{ itemId: '1', serial: 1 }, { itemId: '1', serial: 3 }, { itemId: '2', serial: 3 }])]);
    expect([await shard.free('1'), await shard.free('2')]).toEqual([[2], [1, 2]]);
    expect([await shard.units('a', '1'), await shard.units('a', '2')]).toEqual([0, 0]);
    expect((await shard.claimed()).soldOut).toBe(1);
  });

  it('does not mistake one item or serial for another whose name begins alike', async () => {
    const shard = await bench.loaded({ stock: { 1: 12, 11: 12 } });
    await shard.join('a', { 1: 11, 11: 11 });
    await shard.claim();
    await shard.settle([rejected('ticket-a', 'LIMIT_REACHED', [{ itemId: '1', serial: 1 }])]);
    expect([await shard.free('1'), await shard.free('11')]).toEqual([serials(2, 12), serials(1, 12)]);
  });

  it.each([['ordered', ordered], ['rejected', rejected], ['requeued', requeued]])('counts a repeat of %s once', async (_, settlement) => {
    const shard = await claimed(['a', 'b']);
    const look = async (): Promise<unknown[]> => [await shard.free(), await shard.queue(), await shard.live('a'), await shard.units('a'), await shard.ticket('a')];
    await shard.settle([settlement('ticket-a'), settlement('ticket-a')]);
    const once = await look();
    expect(await shard.settle([settlement('ticket-a')])).toBe('settled');
    expect(await look()).toEqual(once);
  });

  it('leaves a ticket alone whose order ended before the drain came to settle it', async () => {
    const shard = await claimed(['a']);
    await shard.finish('a', 'expired');
    await shard.release(1, { userId: 'a' });
    await shard.join('a', undefined, 'second');
    await shard.settle([ordered('ticket-a')]);
    expect(await shard.ticket('a')).toMatchObject({ ticketId: 'second', status: 'queued' });
    expect([await shard.live('a'), await shard.units('a'), await figures(shard)]).toEqual([1, 0, expect.objectContaining({ claimed: 0 })]);
  });

  it('refuses a drain that lost its lease: the one that took over decides', async () => {
    const shard = await bench.loaded();
    await shard.join('a');
    await shard.claim({ drainId: 'slow', leaseMs: 1 });
    await shard.passed((await shard.nowMs()) + 1);
    await shard.claim({ drainId: 'next' });
    expect(await shard.settle([requeued('ticket-a')], { drainId: 'slow' })).toBe('not_ours');
    expect([await shard.queue(), await figures(shard)]).toEqual([[], expect.objectContaining({ claimed: 1 })]);
    expect(await shard.settle([ordered('ticket-a')], { drainId: 'next' })).toBe('settled');
  });

  it('lets a drain settle after its lease ran out, as long as nobody took over', async () => {
    const shard = await bench.loaded();
    await shard.join('a');
    await shard.claim({ leaseMs: 1 });
    await shard.passed((await shard.nowMs()) + 1);
    expect(await shard.settle([ordered('ticket-a')])).toBe('settled');
  });

  it('refuses what was claimed before the state was built anew', async () => {
    const shard = await claimed(['a']);
    await shard.load({ epoch: '2' });
    await shard.join('a');
    expect(await shard.settle([rejected('ticket-a')])).toBe('stale');
    expect([await shard.free(), (await shard.ticket('a'))?.status]).toEqual([serials(1, 10), 'queued']);
    await shard.redis.flushall();
    expect(await shard.settle([rejected('ticket-a')])).toBe('stale');
    expect(await shard.keys()).toEqual([]);
  });

  it('settles a batch of 5,000 in a sale of 100 items', async () => {
    const stock = Object.fromEntries(serials(1, 100).map((item) => [String(item), 60]));
    const shard = await bench.loaded({ stock });
    const users = serials(1, 5000).map((user) => `u${user}`);
    await inParallel(users, 100, (userId, index) => shard.join(userId, { [String((index % 100) + 1)]: 1 }));
    const { tickets } = await shard.claimed({ maxTickets: 5000 });
    expect(tickets).toHaveLength(5000);
    await shard.settle(tickets.map(({ ticketId }) => requeued(ticketId)));
    expect((await shard.queue()).map((entry) => entry.split(' ')[1])).toEqual(users);
    expect(await shard.free('100')).toEqual(serials(1, 60));
  });
});
