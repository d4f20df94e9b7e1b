import { saleKeys } from '../../src/goods/index.js';
import { ordered, requeued, ScriptBench, type TestShard } from './test-shard.js';

const LONG_AGO_MS = 60_000;

describe('the standby line', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  /** One unit, sold to `winner`; the others stand by. */
  const soldOut = async (others: string[], standbyLimit = 10, mode: 'queue' | 'instant' = 'queue'): Promise<TestShard> => {
    const shard = await bench.loaded({ stock: { 1: 1 }, standbyLimit, mode });
    for (const userId of ['winner', ...others]) await shard.join(userId);
    await shard.orderAll();
    await shard.claim();
    return shard;
  };
  const claimedUsers = async (shard: TestShard): Promise<string[]> => (await shard.claimed()).tickets.map(({ userId }) => userId);
  const statusOf = async (shard: TestShard, userId: string): Promise<unknown> => (await shard.ticket(userId))?.status;

  it.each(['queue', 'instant'] as const)('takes in who finds no unit, up to its limit, in mode %s', async (mode) => {
    const shard = await soldOut(['a', 'b'], 2, mode);
    expect(await shard.standby()).toEqual(['a', 'b']);
    expect(await shard.tickets.read(shard.at, 'b')).toMatchObject({ ticket: { status: 'standby', ticketId: 'ticket-b' }, standbyPosition: 2 });
    expect(await shard.join('c')).toEqual({ outcome: 'sold_out', itemId: '1', left: 0 });
    expect(await shard.join('a', undefined, 'another')).toEqual({ outcome: 'already_queued' });
    expect(await shard.claim()).toEqual({ outcome: 'empty' });
  });

  it('ends as sold out whom it has no room for', async () => {
    const shard = await bench.loaded({ stock: { 1: 1 }, standbyLimit: 1 });
    for (const userId of ['winner', 'a', 'b', 'c']) await shard.join(userId);
    expect(await shard.claimed()).toMatchObject({ standby: 1, soldOut: 2 });
    expect(await shard.ticket('c')).toMatchObject({ status: 'sold_out', reason: 'SOLD_OUT' });
    expect(await shard.live('c')).toBe(0);
  });

  it.each(['queue', 'instant'] as const)('gets a unit that comes back before anyone who joins later, in mode %s', async (mode) => {
    const shard = await soldOut(['a', 'b'], 10, mode);
    expect(await shard.releasing(1)).toEqual({ outcome: 'released', wake: true });
    expect(await shard.join('late')).toMatchObject({ outcome: 'queued' });
    expect(await claimedUsers(shard)).toEqual(['a']);
    await shard.settle([ordered('ticket-a')]);
    expect(await shard.ticket('a')).toMatchObject({ status: 'awaiting_payment', orderId: 'order-ticket-a' });
    await shard.claim();
    expect(await shard.standby()).toEqual(['b', 'late']);
  });

  it('wakes the drain once for many units', async () => {
    const shard = await soldOut(['a', 'b']);
    const wakes = [];
    for (const serial of [1, 2, 3]) wakes.push((await shard.releasing(serial, { serial })).wake);
    expect(wakes).toEqual([true, false, false]);
  });

  it('offers a unit that the first in line cannot use to the next who can; who waits keeps the place', async () => {
    const shard = await bench.loaded({ stock: { 1: 1, 2: 1 }, standbyLimit: 10 });
    await shard.join('winner', { 1: 1, 2: 1 });
    await shard.orderAll();
    await shard.join('both', { 1: 1, 2: 1 });
    await shard.join('one', { 2: 1 });
    await shard.claim();
    await shard.release(1, { itemId: '2' });
    expect(await claimedUsers(shard)).toEqual(['one']);
    await shard.settle([ordered('ticket-one')]);
    await shard.release(2, { itemId: '1', serial: 1 });
    await shard.release(3, { itemId: '2', serial: 2 });
    expect(await claimedUsers(shard)).toEqual(['both']);
  });

  it('is offered units also where it is longer than one step may take', async () => {
    const users = Array.from({ length: 7 }, (_, index) => `u${index}`);
    const shard = await bench.loaded({ stock: { 1: 1 }, standbyLimit: 10 });
    await shard.join('winner');
    await shard.orderAll();
    for (const userId of users) await shard.join(userId, { 1: userId === 'u6' ? 1 : 2 });
    while ((await shard.claim()).outcome === 'claimed');
    await shard.release(1);
    const claimed: string[] = [];
    for (let step = 0; step < 10; step += 1) {
      const answer = await shard.claim({ maxTickets: 2 });
      if (answer.outcome !== 'claimed') break;
      claimed.push(...answer.tickets.map(({ userId }) => userId));
      await shard.settle(answer.tickets.map(({ ticketId }) => ordered(ticketId)));
    }
    expect(claimed).toEqual(['u6']);
    expect(await shard.standby()).toEqual(users.slice(0, 6));
  });

  it('shows what is free, who waits for what, and that nobody here can use it once all were offered it', async () => {
    const shard = await bench.loaded({ stock: { 1: 1, 2: 1 }, standbyLimit: 10 });
    const look = (most = 10) => shard.stock.line(shard.at, shard.itemIds, most);
    expect(await look()).toEqual({ shard: shard.at, free: new Map([['1', 1], ['2', 1]]), queued: 0, standby: 0, isAtRest: true, wantedMsAgo: new Map(), tickets: [] });
    await shard.join('winner');
    await shard.join('a', { 1: 2, 2: 1 });
    await shard.join('b', { 1: 2 });
    expect(await look()).toMatchObject({ queued: 3, standby: 0, isAtRest: false });
    await shard.orderAll();
    while ((await shard.claim()).outcome === 'claimed');
    const tickets = [[['1', 2], ['2', 1]], [['1', 2]]].map((basket) => ({ joinedAtMs: expect.any(Number), basket }));
    expect(await look()).toEqual({ shard: shard.at, free: new Map([['1', 0], ['2', 1]]), queued: 0, standby: 2, isAtRest: true, wantedMsAgo: new Map(), tickets });
    expect((await look(1))?.tickets).toEqual(tickets.slice(0, 1));
    await shard.release(1);
    expect(await look()).toMatchObject({ free: new Map([['1', 1], ['2', 1]]), isAtRest: false });
    expect(await shard.claim()).toEqual({ outcome: 'empty' });
    expect(await look(0)).toMatchObject({ isAtRest: true, tickets: [] });
    expect(await bench.empty().stock.line({ saleId: '999999', shard: 0 }, ['1'], 10)).toBeNull();
  });

  it('shows how long ago an item was asked for in vain, by a join or a ticket whose turn came too late, until it is built anew', async () => {
    const shard = await bench.loaded({ stock: { 1: 1, 2: 0, 3: 1 } });
    const wanted = async (): Promise<[string, number][]> => [...((await shard.stock.line(shard.at, shard.itemIds, 0))?.wantedMsAgo ?? [])];
    for (const userId of ['a', 'b']) await shard.join(userId);
    expect(await shard.join('c', { 3: 2 })).toMatchObject({ outcome: 'sold_out', left: 1 });
    expect(await wanted()).toEqual([]);
    const beforeMs = await shard.nowMs();
    expect(await shard.join('d', { 2: 1 })).toMatchObject({ outcome: 'sold_out', left: 0 });
    await shard.orderAll();
    await shard.passed(await shard.nowMs());
    const ages = await wanted();
    const passedMs = (await shard.nowMs()) - beforeMs;
    expect(ages.map(([itemId]) => itemId)).toEqual(['1', '2']);
    for (const [, ageMs] of ages) expect(ageMs > 0 && ageMs <= passedMs).toBe(true);
    await shard.load({ epoch: '2' });
    expect(await wanted()).toEqual([]);
  });

  it('is gone through once where a limit falls, step by step: who is above it is rejected, the others keep their places', async () => {
    const shard = await bench.loaded({ stock: { 1: 2 }, standbyLimit: 20, limitPerUser: 3 });
    await shard.join('winner', { 1: 2 });
    await shard.orderAll();
    const users = Array.from({ length: 7 }, (_, index) => `u${index}`);
    for (const [index, userId] of users.entries()) await shard.join(userId, { 1: 1 + (index % 3) });
    while ((await shard.claim()).outcome === 'claimed');
    expect(await shard.standby()).toEqual(users);
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'at_rest' });
    await shard.steer({ limitPerUser: 2 });
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'forgotten' });
    const rejected: number[] = [];
    for (let claim = await shard.claim({ maxTickets: 2 }); claim.outcome === 'claimed'; claim = await shard.claim({ maxTickets: 2 })) rejected.push(claim.rejected);
    expect(rejected).toEqual([0, 1, 1, 0]);
    expect(await shard.standby()).toEqual(['u0', 'u1', 'u3', 'u4', 'u6']);
    expect(await shard.ticket('u2')).toEqual({ ticketId: 'ticket-u2', status: 'rejected', seq: 4, reason: 'LIMIT_REACHED' });
    expect([await shard.live('u2'), await shard.live('u0')]).toEqual([0, 1]);
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'at_rest' });
    expect(await shard.join('u2', { 1: 2 }, 'again')).toMatchObject({ outcome: 'queued' });
  });

  it('counts what a shopper holds already where a limit falls, and leaves everybody alone where it rises', async () => {
    const shard = await bench.loaded({ stock: { 1: 2 }, standbyLimit: 20, limitPerUser: 3, units: [['a:1', 1]] });
    await shard.join('winner', { 1: 2 });
    await shard.orderAll();
    for (const userId of ['a', 'b']) await shard.join(userId, { 1: 2 });
    while ((await shard.claim()).outcome === 'claimed');
    await shard.steer({ limitPerUser: 9 });
    expect(await shard.claim()).toEqual({ outcome: 'empty' });
    await shard.steer({ limitPerUser: 2 });
    expect(await shard.claimed()).toMatchObject({ rejected: 1, tickets: [] });
    expect(await shard.standby()).toEqual(['b']);
  });

  it('takes in nobody who joined above a limit that fell before the turn came', async () => {
    const shard = await bench.loaded({ stock: { 1: 2 }, standbyLimit: 20, limitPerUser: 2 });
    for (const [userId, quantity] of [['a', 2], ['b', 1], ['c', 1], ['d', 2], ['e', 1]] as const) await shard.join(userId, { 1: quantity });
    await shard.steer({ limitPerUser: 1 });
    const claim = await shard.claimed();
    expect(claim).toMatchObject({ rejected: 2, standby: 1, soldOut: 0 });
    expect(claim.tickets.map(({ userId }) => userId)).toEqual(['b', 'c']);
    expect([await statusOf(shard, 'a'), await statusOf(shard, 'd'), await statusOf(shard, 'e')]).toEqual(['rejected', 'rejected', 'standby']);
  });

  it('takes whoever gave a unit back at its end', async () => {
    const shard = await soldOut(['a', 'b']);
    await shard.finish('winner', 'cancelled');
    await shard.release(1, { userId: 'winner' });
    expect(await shard.join('winner', undefined, 'again')).toMatchObject({ outcome: 'queued' });
    expect(await claimedUsers(shard)).toEqual(['a']);
    await shard.settle([ordered('ticket-a')]);
    await shard.claim();
    expect(await shard.standby()).toEqual(['b', 'winner']);
  });

  it('can be left, but not once a unit was taken for the ticket', async () => {
    const shard = await soldOut(['a', 'b']);
    expect(await shard.leave('a')).toEqual({ outcome: 'left' });
    expect(await shard.leave('a')).toEqual({ outcome: 'left' });
    expect([await statusOf(shard, 'a'), await shard.live('a')]).toEqual(['left', 0]);
    await shard.release(1);
    expect(await claimedUsers(shard)).toEqual(['b']);
    expect(await shard.leave('b')).toEqual({ outcome: 'claimed', status: 'standby' });
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'at_rest' });
  });

  it('gives who could not get an order the old place back', async () => {
    const shard = await soldOut(['a', 'b']);
    await shard.release(1);
    expect(await claimedUsers(shard)).toEqual(['a']);
    await shard.settle([requeued('ticket-a')]);
    expect(await shard.standby()).toEqual(['a', 'b']);
    expect(await claimedUsers(shard)).toEqual(['a']);
  });

  it.each([{ state: 'ended' as const }, { endsAtMs: Date.now() - LONG_AGO_MS }])('ends as sold out when the sale is over (%j), and gets no unit any more', async (over) => {
    const shard = await soldOut(['a', 'b']);
    await shard.steer(over);
    await shard.release(1);
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'forgotten' });
    expect(await shard.claimed()).toMatchObject({ tickets: [], soldOut: 2 });
    expect([await statusOf(shard, 'a'), await statusOf(shard, 'b'), await shard.live('a'), await shard.live('b')]).toEqual(['sold_out', 'sold_out', 0, 0]);
    expect(await shard.claim()).toEqual({ outcome: 'empty' });
    expect(await shard.free()).toEqual([1]);
  });

  it('is found by the sweep when the wake-up was lost, and is left alone when there is nothing it can use', async () => {
    const shard = await soldOut(['a', 'b']);
    while ((await shard.claim()).outcome === 'claimed');
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'at_rest' });
    await shard.release(1);
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'forgotten' });
  });

  it('comes before an order that is paid too late', async () => {
    const shard = await soldOut(['a']);
    await shard.release(1);
    const late = { id: 'late', itemId: '1', quantity: 1, userId: 'winner' };
    expect(await shard.stock.withdraw(shard.at, '1', late)).toEqual({ outcome: 'line_first' });
    expect(await claimedUsers(shard)).toEqual(['a']);
  });

  it('waits while the operator has stopped the claims, and goes on afterwards', async () => {
    const shard = await soldOut(['a']);
    await shard.release(1);
    await shard.steer({ state: 'paused', claims: 'stopped' });
    expect(await shard.claim()).toEqual({ outcome: 'stopped' });
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'at_rest' });
    await shard.steer({ state: 'paused', claims: 'go_on' });
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'forgotten' });
    expect(await claimedUsers(shard)).toEqual(['a']);
  });

  it('whose key was lost makes the shard be built anew', async () => {
    const shard = await soldOut(['a']);
    await shard.redis.del(saleKeys.standby(shard.at));
    expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'frozen', missing: 'standby' });
    expect(await shard.join('b')).toEqual({ outcome: 'not_loaded' });
  });
});
