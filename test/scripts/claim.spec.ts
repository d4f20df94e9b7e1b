import { inParallel } from '../harness/parallel.js';
import { ordered, rejected, requeued, ScriptBench, type TestShard } from './test-shard.js';

describe('claim.lua', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  const joinAll = async (shard: TestShard, ...userIds: string[]): Promise<void> => {
    for (const userId of userIds) await shard.join(userId);
  };
  const ids = async (claim: ReturnType<TestShard['claimed']>): Promise<string[]> => (await claim).tickets.map(({ userId }) => userId);
  const figures = (shard: TestShard): Promise<unknown> => shard.stock.figures(shard.at);

  it('hands out tickets in the order of the joins, with all tokens of each basket, lowest serials first', async () => {
    const shard = await bench.loaded({ stock: { 1: 5, 2: 5 } });
    await shard.join('a', { 1: 2, 2: 1 });
    await shard.join('b', { 2: 2 });
    const { tickets, epoch, soldOut, again } = await shard.claimed();
    expect({ epoch, soldOut, again }).toEqual({ epoch: '1', soldOut: 0, again: false });
    expect(tickets).toEqual([
      { ticketId: 'ticket-a', userId: 'a', seq: 1, joinedAtMs: expect.any(Number), lines: [{ itemId: '1', quantity: 2, serials: [1, 2] }, { itemId: '2', quantity: 1, serials: [1] }] },
      { ticketId: 'ticket-b', userId: 'b', seq: 2, joinedAtMs: expect.any(Number), lines: [{ itemId: '2', quantity: 2, serials: [2, 3] }] },
    ]);
    expect([await shard.units('a', '1'), await shard.units('a', '2'), await shard.units('b', '2')]).toEqual([2, 1, 2]);
  });

  it('is first in, first out over many batches', async () => {
    const shard = await bench.loaded({ stock: { 1: 50 } });
    const users = Array.from({ length: 50 }, (_, index) => `u${index}`);
    await joinAll(shard, ...users);
    const served: string[] = [];
    while (served.length < users.length) {
      const { tickets } = await shard.claimed({ maxTickets: 7 });
      served.push(...tickets.map(({ userId }) => userId));
      await shard.settle(tickets.map(({ ticketId }) => ordered(ticketId)));
    }
    expect(served).toEqual(users);
  });

  it('skips entries whose ticket was left, also when the shopper has joined again', async () => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a', 'b', 'c');
    await shard.leave('a');
    await shard.leave('b');
    await shard.join('a', undefined, 'second');
    expect(await ids(shard.claimed())).toEqual(['c', 'a']);
    expect(await figures(shard)).toMatchObject({ served: 4, waiting: 0, claimed: 2 });
  });

  it('ends a ticket whose basket can not be filled as sold out, takes nothing for it, and lets the next have its tokens', async () => {
    const shard = await bench.loaded({ stock: { 1: 2, 2: 2 } });
    await shard.join('a', { 1: 1 });
    await shard.join('b', { 2: 1, 1: 2 });
    await shard.join('c', { 1: 1 });
    const { tickets, soldOut } = await shard.claimed();
    expect([tickets.map(({ userId }) => userId), soldOut]).toEqual([['a', 'c'], 1]);
    expect(await shard.ticket('b')).toEqual({ ticketId: 'ticket-b', status: 'sold_out', seq: 2, reason: 'SOLD_OUT' });
    expect([await shard.live('b'), await shard.units('b', '1'), await shard.free('2')]).toEqual([0, 0, [1, 2]]);
  });

  it('lets one drain at a time work, until its lease has run out or was given up', async () => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a', 'b', 'c', 'd');
    await shard.claim({ drainId: 'one', maxTickets: 1 });
    expect(await shard.claim({ drainId: 'two' })).toEqual({ outcome: 'busy' });
    await shard.seckill.yieldLease(shard.at, 'two');
    expect(await shard.claim({ drainId: 'two' })).toEqual({ outcome: 'busy' });
    await shard.seckill.yieldLease(shard.at, 'one');
    expect(await shard.claim({ drainId: 'two', leaseMs: 1 })).toMatchObject({ outcome: 'claimed' });
    await shard.passed((await shard.nowMs()) + 1);
    expect(await shard.claim({ drainId: 'three' })).toMatchObject({ outcome: 'claimed' });
    expect(await shard.claim({ drainId: 'two' })).toEqual({ outcome: 'busy' });
  });

  it('extends the lease of the drain that claims again', async () => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a');
    await shard.claim({ drainId: 'one', leaseMs: 1 });
    await shard.claim({ drainId: 'one', leaseMs: 60_000 });
    await shard.passed((await shard.nowMs()) + 1);
    expect(await shard.claim({ drainId: 'two' })).toEqual({ outcome: 'busy' });
  });

  it('asks for the drain again after a lease was given up: the queue may not be empty', async () => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a', 'b');
    await shard.claim({ drainId: 'one', maxTickets: 1 });
    await shard.seckill.yieldLease(shard.at, 'one');
    expect(await shard.join('c')).toMatchObject({ wake: true });
  });

  it('hands out first, and alone, what an earlier drain left unsettled, with the same tokens', async () => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a', 'b', 'c');
    const first = await shard.claimed({ drainId: 'dying', leaseMs: 1, maxTickets: 2 });
    await shard.passed((await shard.nowMs()) + 1);
    const second = await shard.claimed({ drainId: 'next' });
    expect(second.again).toBe(true);
    expect([...second.tickets].sort((x, y) => x.seq - y.seq)).toEqual(first.tickets);
    await shard.settle([ordered('ticket-a'), ordered('ticket-b')], { drainId: 'next' });
    expect(await ids(shard.claimed({ drainId: 'next' }))).toEqual(['c']);
  });

  it('hands out every unsettled ticket, however small the batches are', async () => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a', 'b', 'c', 'd', 'e');
    await shard.claim();
    const seen: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { tickets } = await shard.claimed({ maxTickets: 2 });
      seen.push(...tickets.map(({ userId }) => userId));
      await shard.settle(tickets.map(({ ticketId }) => ordered(ticketId)));
    }
    expect(seen.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  describe('for a drain that goes on with what it has in hand', () => {
    it('hands out the next tickets of the line, and all of both batches once it is dead', async () => {
      const shard = await bench.loaded();
      await joinAll(shard, 'a', 'b', 'c', 'd');
      expect(await ids(shard.claimed({ drainId: 'one', maxTickets: 2 }))).toEqual(['a', 'b']);
      const next = await shard.claimed({ drainId: 'one', maxTickets: 2, inHand: 2, leaseMs: 1 });
      expect([next.tickets.map(({ userId }) => userId), next.again]).toEqual([['c', 'd'], false]);
      await shard.passed((await shard.nowMs()) + 1);
      const left = await shard.claimed({ drainId: 'two' });
      expect([left.tickets.map(({ userId }) => userId).sort(), left.again]).toEqual([['a', 'b', 'c', 'd'], true]);
    });

    it('keeps its lease when nobody waits, until it claims with nothing in hand', async () => {
      const shard = await bench.loaded();
      await joinAll(shard, 'a');
      await shard.claim({ drainId: 'one' });
      expect(await shard.claim({ drainId: 'one', inHand: 1 })).toEqual({ outcome: 'empty' });
      expect(await shard.claim({ drainId: 'two' })).toEqual({ outcome: 'busy' });
      expect(await shard.join('b')).toMatchObject({ wake: false });
      expect(await shard.settle([ordered('ticket-a')], { drainId: 'one' })).toBe('settled');
      expect(await ids(shard.claimed({ drainId: 'one' }))).toEqual(['b']);
    });

    it.each([['settled', true], ['left for the next claim', false]])('is busy, and claims nothing, when another drain took them over (%s)', async (_, isSettled) => {
      const shard = await bench.loaded();
      await joinAll(shard, 'a', 'b');
      await shard.claim({ drainId: 'slow', leaseMs: 1, maxTickets: 1 });
      await shard.passed((await shard.nowMs()) + 1);
      await shard.claim({ drainId: 'other', leaseMs: 1 });
      if (isSettled) await shard.settle([ordered('ticket-a')], { drainId: 'other' });
      await shard.passed((await shard.nowMs()) + 1);
      expect(await shard.claim({ drainId: 'slow', inHand: 1 })).toEqual({ outcome: 'busy' });
      expect(await shard.queue()).toEqual(['2 b']);
    });

    it('is busy when it has other tickets in hand than it says', async () => {
      const shard = await bench.loaded();
      await joinAll(shard, 'a', 'b', 'c');
      await shard.claim({ drainId: 'one', maxTickets: 2 });
      expect(await shard.claim({ drainId: 'one', inHand: 1 })).toEqual({ outcome: 'busy' });
      expect(await shard.claim({ drainId: 'one', inHand: 0 })).toMatchObject({ again: true });
    });

    it('puts a batch that is given back behind who needs other tokens to the head of the line, in the order of the joins', async () => {
      const shard = await bench.loaded();
      await joinAll(shard, 'a', 'b', 'c', 'd', 'e');
      await shard.claim({ maxTickets: 2 });
      await shard.claim({ maxTickets: 2, inHand: 2 });
      await shard.settle([ordered('ticket-a'), requeued('ticket-b'), requeued('ticket-c'), requeued('ticket-d')]);
      expect(await ids(shard.claimed())).toEqual(['b', 'c', 'd', 'e']);
    });
  });

  it('never counts back how far the line was served', async () => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a', 'b', 'c');
    await shard.claim({ maxTickets: 2 });
    await shard.settle([requeued('ticket-a'), ordered('ticket-b')]);
    await shard.claim({ maxTickets: 1 });
    expect(await figures(shard)).toMatchObject({ served: 2 });
    expect(await shard.join('d')).toMatchObject({ position: 2 });
  });

  it('claims a reserved ticket with the tokens that the join took', async () => {
    const shard = await bench.loaded({ mode: 'instant' });
    await joinAll(shard, 'a', 'b');
    expect((await shard.claimed()).tickets.map(({ lines }) => lines[0]?.serials)).toEqual([[1], [2]]);
    expect([await shard.units('a'), await shard.free()]).toEqual([1, [3, 4, 5, 6, 7, 8, 9, 10]]);
  });

  it('works on after the end of the sale: who joined in time is decided', async () => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a');
    await shard.steer({ state: 'ended' });
    expect(await ids(shard.claimed())).toEqual(['a']);
  });

  it('measures how fast the line moves', async () => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a', 'b');
    await shard.claim({ maxTickets: 1 });
    await shard.settle([rejected('ticket-a')]);
    await shard.passed((await shard.nowMs()) + 1);
    await shard.claim({ maxTickets: 1 });
    const { ratePerSecond } = (await shard.stock.figures(shard.at)) ?? {};
    expect(ratePerSecond).toBeGreaterThan(0);
    expect(ratePerSecond).toBeLessThan(1000);
  });

  it('takes a batch above what Lua can unpack, and loses none of the line', async () => {
    const shard = await bench.loaded({ stock: { 1: 9000 } });
    const users = Array.from({ length: 9000 }, (_, index) => `u${index}`);
    await inParallel(users, 100, (userId) => shard.join(userId));
    const { tickets } = await shard.claimed({ maxTickets: 9000 });
    expect(tickets).toHaveLength(5000);
    expect(tickets.map(({ userId }) => userId)).toEqual(users.slice(0, 5000));
    expect(await figures(shard)).toMatchObject({ waiting: 4000, claimed: 5000 });
    expect((await shard.claimed({ maxTickets: 9000 })).tickets).toHaveLength(5000);
  });

  it.each([0, -1, 1.5, NaN])('refuses %s as the most tickets, and takes no lease', async (maxTickets) => {
    const shard = await bench.loaded();
    await joinAll(shard, 'a');
    await expect(shard.claim({ maxTickets })).rejects.toThrow('positive integer');
    expect(await shard.claim({ drainId: 'other' })).toMatchObject({ outcome: 'claimed' });
  });

  it('knows a sale that is not loaded', async () => {
    expect(await bench.empty().claim()).toEqual({ outcome: 'not_loaded' });
  });
});
