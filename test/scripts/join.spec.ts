import type { JoinOutcome } from '../../src/seckill/seckill.scripts.js';
import { saleKeys } from '../../src/goods/index.js';
import { ordered, rejected, ScriptBench, serials, type ShardPlan, type TestShard } from './test-shard.js';

const HOUR_MS = 3_600_000;

describe('join.lua', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  const outcome = async (joined: Promise<JoinOutcome>): Promise<string> => (await joined).outcome;

  it('queues a shopper at once, with status, live count and place in one step', async () => {
    const shard = await bench.loaded({ stock: { 1: 5, 2: 5 } });
    expect(await shard.join('u', { 1: 2, 2: 1 })).toEqual({ outcome: 'queued', ticketId: 'ticket-u', position: 1, wake: true, ratePerSecond: 0 });
    expect(await shard.ticket('u')).toEqual({ ticketId: 'ticket-u', status: 'queued', seq: 1, joinedAtMs: expect.any(Number), items: [['1', 2], ['2', 1]] });
    expect(await shard.live('u')).toBe(1);
    expect(await shard.queue()).toEqual(['1 u']);
    expect([await shard.free('1'), await shard.free('2')]).toEqual([serials(1, 5), serials(1, 5)]);
  });

  it('takes the tokens of the whole basket in the same step in mode instant', async () => {
    const shard = await bench.loaded({ mode: 'instant', stock: { 1: 5, 2: 5 } });
    expect(await shard.join('u', { 1: 2, 2: 1 })).toEqual({ outcome: 'reserved', ticketId: 'ticket-u', position: 1, wake: true, ratePerSecond: 0 });
    expect([await shard.free('1'), await shard.free('2')]).toEqual([serials(3, 5), serials(2, 5)]);
    expect([await shard.units('u', '1'), await shard.units('u', '2')]).toEqual([2, 1]);
    const places = await shard.stock.tokenPlaces(shard.at, ['1', '2']);
    expect(places?.claimed).toEqual([{ itemId: '1', serial: 1, ticketId: 'ticket-u' }, { itemId: '1', serial: 2, ticketId: 'ticket-u' }, { itemId: '2', serial: 1, ticketId: 'ticket-u' }]);
  });

  /** Each line's shard has everything against it that the lines below have, too. */
  describe('answers the first that applies of', () => {
    const soldOut: ShardPlan = { stock: { 1: 0, 2: 5 }, limitPerUser: 2, units: [['full:1', 2]] };
    const unpaid: ShardPlan = { ...soldOut, tickets: [['u', { ticketId: 'old', status: 'awaiting_payment', seq: 0 }]], liveTickets: [['u', 1]], units: [['u:1', 2]] };
    const ended: ShardPlan = { ...unpaid, startsAtMs: Date.now() - 2 * HOUR_MS, endsAtMs: Date.now() - HOUR_MS };
    const early: ShardPlan = { ...unpaid, startsAtMs: Date.now() + HOUR_MS, endsAtMs: Date.now() + 2 * HOUR_MS, expireAtMs: Date.now() + 3 * HOUR_MS };

    it.each<[string, ShardPlan, Record<string, number>]>([
      ['ended', { ...ended, state: 'paused' }, { 9: 1 }],
      ['ended', { ...early, state: 'ended' }, { 9: 1 }],
      ['not_started', { ...early, state: 'paused' }, { 9: 1 }],
      ['paused', { ...unpaid, state: 'paused' }, { 9: 1 }],
      ['item_not_found', unpaid, { 9: 1 }],
      ['invalid_basket', unpaid, { 1: 0 }],
      ['unpaid_order', unpaid, { 1: 3 }],
    ])('%s', async (expected, plan, basket) => {
      const shard = await bench.loaded(plan);
      expect(await outcome(shard.join('u', basket, 'new'))).toBe(expected);
    });

    it('not_loaded, already_queued, limit_reached and sold_out', async () => {
      expect(await outcome(bench.empty({ state: 'ended' }).join('u', { 9: 0 }))).toBe('not_loaded');
      const shard = await bench.loaded({ ...soldOut, units: [['u:2', 2]], tickets: [], stock: { 1: 0, 2: 5, 3: 1 } });
      await shard.join('u', { 3: 1 });
      expect(await outcome(shard.join('u', { 2: 1 }, 'second'))).toBe('already_queued');
      await shard.leave('u');
      expect(await shard.join('u', { 1: 1, 2: 1 }, 'second')).toEqual({ outcome: 'limit_reached', itemId: '2', limit: 2 });
      expect(await shard.join('u', { 3: 1, 1: 1 }, 'second')).toEqual({ outcome: 'sold_out', itemId: '1', left: 0 });
    });
  });

  it('changes nothing when it refuses', async () => {
    const shard = await bench.loaded({ stock: { 1: 1 }, limitPerUser: 3 });
    const before = await shard.keys();
    for (const basket of [{ 9: 1 }, { 1: 2 }, { 1: 4 }, { 1: -1 }, {}]) await shard.join('u', basket);
    expect(await shard.keys()).toEqual(before);
    expect([await shard.live('u'), await shard.free(), await shard.stock.figures(shard.at)]).toEqual([0, [1], expect.objectContaining({ joins: 0 })]);
  });

  /** Joins without a pause until the sale has opened, and answers when the first of the line joined. */
  const firstJoin = async (shard: TestShard): Promise<number> => {
    for (let turn = 0; ; turn += 1) {
      const joined = await Promise.all(serials(1, 20).map((user) => shard.join(`u${turn}-${user}`)));
      if (joined.every(({ outcome: name }) => name === 'not_started')) continue;
      const [first = ''] = await shard.queue();
      return (await shard.ticket(first.split(' ')[1] ?? ''))?.joinedAtMs ?? 0;
    }
  };

  it('says when the sale starts', async () => {
    const startsAtMs = Date.now() + HOUR_MS;
    expect(await (await bench.loaded({ startsAtMs })).join('early')).toEqual({ outcome: 'not_started', startsAtMs });
  });

  it('opens with the millisecond of the start, by Redis time', async () => {
    const lateMs: number[] = [];
    while (!lateMs.includes(0) && lateMs.length < 50) {
      const shard = await bench.loaded();
      const startsAtMs = (await shard.nowMs()) + 20;
      await shard.steer({ startsAtMs });
      lateMs.push((await firstJoin(shard)) - startsAtMs);
    }
    expect(Math.min(...lateMs)).toBe(0);
  });

  it('closes with the millisecond of the end: every ticket was joined before it', async () => {
    const shard = await bench.loaded();
    await shard.join('first');
    const endsAtMs = (await shard.nowMs()) + 200;
    await shard.steer({ endsAtMs });
    const joinedAtMs: number[] = [];
    for (let turn = 0; (await outcome(shard.join(`u${turn}`))) === 'queued'; turn += 1) joinedAtMs.push((await shard.ticket(`u${turn}`))?.joinedAtMs ?? Infinity);
    expect(joinedAtMs.length).toBeGreaterThan(0);
    expect(Math.max(...joinedAtMs)).toBeLessThan(endsAtMs);
    expect(await shard.nowMs()).toBeGreaterThanOrEqual(endsAtMs);
  });

  describe('a repeat with the same ticket id', () => {
    const repeated = async (plan: ShardPlan, between: (shard: TestShard) => Promise<unknown>): Promise<void> => {
      const shard = await bench.loaded(plan);
      const first = await shard.join('u');
      await between(shard);
      const { outcome: now } = await shard.join('u');
      expect(now).toBe(first.outcome);
      expect(await shard.stock.figures(shard.at)).toMatchObject({ joins: 1 });
    };

    it.each(['queue', 'instant'] as const)('is answered as the first in mode %s, and takes nothing more', async (mode) => {
      const shard = await bench.loaded({ mode });
      const first = await shard.join('u');
      expect(await shard.join('u')).toEqual(first);
      expect([await shard.live('u'), await shard.queue()]).toEqual([1, ['1 u']]);
      expect(await shard.free()).toHaveLength(mode === 'instant' ? 9 : 10);
    });

    it.each<[string, (shard: TestShard) => Promise<unknown>]>([
      ['was claimed', (shard) => shard.claim()],
      ['became an order', (shard) => shard.orderAll()],
      ['was paid', (shard) => shard.orderAll().then(() => shard.finish('u', 'paid'))],
      ['was rejected', (shard) => shard.claim().then(() => shard.settle([rejected('ticket-u')]))],
      ['was left', (shard) => shard.leave('u')],
    ])('is answered as the first after the ticket %s', (_, between) => repeated({}, between));

    it.each<[string, ShardPlan]>([['was paused', { state: 'paused' }], ['ended', { state: 'ended' }], ['ended by the clock', { endsAtMs: Date.now() - 1 }]])(
      'is answered as the first after the sale %s', (_, changes) => repeated({}, (shard) => shard.steer(changes)),
    );

    it('asks for the drain again when the first did: its answer may have been lost', async () => {
      const shard = await bench.loaded();
      await shard.join('u');
      await shard.join('v');
      expect([await shard.join('u'), await shard.join('v')]).toMatchObject([{ wake: true }, { wake: false }]);
    });
  });

  it.each<[string, ShardPlan]>([['could join', { limitPerUser: 2 }], ['has reached the limit', { limitPerUser: 1 }], ['finds nothing left', { limitPerUser: 2, stock: { 7: 1 } }]])(
    'never refuses a shopper whose ticket was lost, nor lets one in twice, who %s: the shard is built anew', async (_, plan) => {
      const shard = await bench.loaded({ mode: 'instant', ...plan });
      await shard.join('u');
      await shard.redis.del(saleKeys.status(shard.at));
      expect(await shard.join('u', undefined, 'another-ticket')).toEqual({ outcome: 'not_loaded' });
      expect(await shard.join('v')).toEqual({ outcome: 'not_loaded' });
    },
  );

  it('asks for the drain exactly once until the drain saw the queue empty', async () => {
    const shard = await bench.loaded();
    expect(await shard.join('a')).toMatchObject({ wake: true });
    expect(await shard.join('b')).toMatchObject({ wake: false });
    const { tickets } = await shard.claimed();
    expect(await shard.join('c')).toMatchObject({ wake: false });
    await shard.settle(tickets.map(({ ticketId }) => ordered(ticketId)));
    await shard.orderAll();
    expect(await shard.join('d')).toMatchObject({ wake: false });
    await shard.orderAll();
    expect(await shard.claim()).toEqual({ outcome: 'empty' });
    expect(await shard.join('e')).toMatchObject({ wake: true });
  });

  it('counts the position from the tickets served', async () => {
    const shard = await bench.loaded();
    await shard.join('a');
    expect(await shard.join('b')).toMatchObject({ position: 2 });
    await shard.claim({ maxTickets: 1 });
    expect(await shard.join('c')).toMatchObject({ position: 2 });
    expect(await shard.join('b')).toMatchObject({ position: 1 });
  });

  describe('with an idempotency key', () => {
    it('is answered as the first time, under the first ticket, and counts once', async () => {
      const shard = await bench.loaded();
      const first = await shard.joinWithKey('a', 'key', 'first');
      expect(first).toMatchObject({ outcome: 'queued', ticketId: 'first', position: 1 });
      await shard.join('b');
      expect(await shard.joinWithKey('a', 'key', 'second')).toEqual(first);
      expect([await shard.live('a'), (await shard.ticket('a'))?.ticketId, await shard.queue()]).toEqual([1, 'first', ['1 a', '2 b']]);
    });

    it('is so also after the ticket has ended, and the shopper may join anew with another key', async () => {
      const shard = await bench.loaded();
      const first = await shard.joinWithKey('a', 'key', 'first');
      await shard.leave('a');
      expect(await shard.joinWithKey('a', 'key', 'second')).toEqual(first);
      expect(await shard.joinWithKey('a', 'new key', 'second')).toMatchObject({ outcome: 'queued', ticketId: 'second' });
    });

    it('is refused for another basket, and knows its own shopper only', async () => {
      const shard = await bench.loaded();
      await shard.joinWithKey('a', 'key', 'first');
      expect(await shard.joinWithKey('a', 'key', 'second', 2)).toEqual({ outcome: 'key_reused' });
      expect(await shard.joinWithKey('b', 'key', 'third')).toMatchObject({ outcome: 'queued', ticketId: 'third' });
    });

    it('is judged anew after a refusal, and its answer goes after a day', async () => {
      const shard = await bench.loaded({ stock: { 1: 1 } });
      expect(await shard.joinWithKey('a', 'key', 'first', 2)).toMatchObject({ outcome: 'sold_out' });
      expect(await shard.joinWithKey('a', 'key', 'second', 1)).toMatchObject({ outcome: 'queued' });
      const [answer = ''] = await shard.redis.keys(`seckill:{${shard.at.saleId}:0}:answer:a:*`);
      expect(await shard.redis.pttl(answer)).toBeGreaterThan(23 * 3_600_000);
    });
  });
});
