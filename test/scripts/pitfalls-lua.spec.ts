import { saleKeys } from '../../src/goods/index.js';
import { inParallel, tally } from '../harness/parallel.js';
import { ScriptBench, serials, type ShardPlan } from './test-shard.js';

/** The faults of the first two seed articles (pitfalls.md, sections 1 and 2), as far as they concern the scripts. */
describe('pitfalls of the multi-item and the leftover script', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  describe.each(['queue', 'instant'] as const)('in mode %s', (mode) => {
    const loaded = (plan: ShardPlan = {}): ReturnType<ScriptBench['loaded']> => bench.loaded({ mode, ...plan });
    const accepted = mode === 'queue' ? 'queued' : 'reserved';
    const outcomeOf = async (plan: ShardPlan, basket: Record<string, number>): Promise<string> => (await (await loaded(plan)).join('a', basket)).outcome;

    it('a purchase bars nobody from the next sale', async () => {
      const [first, second] = [await loaded({ limitPerUser: 1 }), await loaded({ limitPerUser: 1 })];
      await first.join('a');
      await first.orderAll();
      expect(await second.join('a')).toMatchObject({ outcome: accepted });
      expect(await first.ticket('a')).toMatchObject({ status: 'awaiting_payment' });
    });

    it('an item that is not in the sale has its own answer, be it first or last in the basket', async () => {
      expect(await (await loaded()).join('a', { 7: 1 })).toEqual({ outcome: 'item_not_found', itemId: '7' });
      expect(await (await loaded()).join('a', { 1: 1, 7: 1 })).toEqual({ outcome: 'item_not_found', itemId: '7' });
    });

    it('a sale that is not loaded has its own answer, and so has every other refusal', async () => {
      expect(await bench.empty({ mode }).join('a')).toEqual({ outcome: 'not_loaded' });
      const shard = await loaded({ stock: { 1: 1, 2: 0 } });
      await shard.join('a');
      const outcomes = [await shard.join('a', undefined, 'again'), await shard.join('b', { 2: 1 }), await shard.join('b', { 1: 101 })];
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['already_queued', 'sold_out', 'limit_reached']);
    });

    it.each([[9, 10, 'sold_out'], [10, 9, 'taken'], [9, 9, 'taken'], [100, 99, 'taken'], [99, 100, 'sold_out'], [2, 10, 'sold_out']])(
      'stock %i against an ask for %i is compared as numbers', async (stock, ask, expected) => {
        expect(await outcomeOf({ stock: { 1: stock } }, { 1: ask })).toBe(expected === 'taken' ? accepted : expected);
      },
    );

    it.each([[10, 9], [9, 9], [100, 20]])('a limit of %i against %i units is compared as numbers', async (limitPerUser, ask) => {
      expect(await outcomeOf({ stock: { 1: 200 }, limitPerUser }, { 1: ask })).toBe(accepted);
      expect(await outcomeOf({ stock: { 1: 200 }, limitPerUser, units: [['a:1', limitPerUser - ask + 1]] }, { 1: ask })).toBe('limit_reached');
    });

    it.each([-5, -1, 0, 0.5, 1.5, NaN, Infinity, -Infinity, 1e300])('a quantity of %s is refused, and nothing of the basket is taken', async (quantity) => {
      const shard = await loaded({ stock: { 1: 5, 2: 100 }, limitPerUser: 1000 });
      const joined = await shard.join('a', { 1: 1, 2: quantity });
      expect(joined).toMatchObject(quantity === 1e300 ? { outcome: 'limit_reached', itemId: '2' } : { outcome: 'invalid_basket', itemId: '2' });
      expect([await shard.free('1'), await shard.free('2'), await shard.live('a'), await shard.ticket('a')]).toEqual([serials(1, 5), serials(1, 100), 0, null]);
    });

    it.each(['', 'x', '1; 2', '0x', '１'])('a quantity of "%s" is refused', async (quantity) => {
      const shard = await loaded();
      expect(await shard.join('a', [{ itemId: '1', quantity: quantity as unknown as number }])).toEqual({ outcome: 'invalid_basket', itemId: '1' });
    });

    it('an item that stands in the basket twice is refused, not taken twice', async () => {
      const shard = await loaded({ stock: { 1: 9 } });
      expect(await shard.join('a', [{ itemId: '1', quantity: 6 }, { itemId: '1', quantity: 6 }])).toEqual({ outcome: 'invalid_basket', itemId: '1' });
      expect(await shard.join('a', [])).toEqual({ outcome: 'invalid_basket', itemId: '' });
      expect(await shard.free()).toEqual(serials(1, 9));
    });

    it('it is the shopper who is marked, not a quantity: the winner does not win again, the next one can', async () => {
      const shard = await loaded();
      await shard.join('a', { 1: 1 });
      expect(await shard.redis.hkeys(saleKeys.count(shard.at))).toEqual(['a']);
      expect(await shard.join('a', { 1: 1 }, 'again')).toEqual({ outcome: 'already_queued' });
      expect(await shard.join('1', { 1: 1 })).toMatchObject({ outcome: accepted });
    });

    it('a shopper and an item of the same number do not get into each other', async () => {
      const shard = await loaded({ stock: { 1001: 3, 1: 3 }, limitPerUser: 1 });
      await shard.join('1001', { 1001: 1, 1: 1 });
      await shard.orderAll();
      expect([await shard.units('1001', '1'), await shard.units('1001', '1001'), await shard.units('1', '1001')]).toEqual([1, 1, 0]);
      expect(await shard.join('1', { 1001: 1 })).toMatchObject({ outcome: accepted });
    });

    it('a script that the server forgot is sent again, once, by itself', async () => {
      const shard = await loaded();
      await shard.redis.script('FLUSH');
      expect(await shard.join('a')).toMatchObject({ outcome: accepted });
      await shard.redis.script('FLUSH');
      expect((await shard.claimed()).tickets).toHaveLength(1);
    });

    it('a script goes by its hash, not in full, once the server knows it', async () => {
      const shard = await loaded();
      await shard.join('a');
      const calls = async (name: string): Promise<number> => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(await shard.redis.info('commandstats'))?.[1] ?? 0);
      const [inFull, byHash] = [await calls('eval'), await calls('evalsha')];
      for (const userId of ['b', 'c', 'd']) await shard.join(userId);
      expect([(await calls('eval')) - inFull, (await calls('evalsha')) - byHash]).toEqual([0, 3]);
    });

    it('2,000 shoppers, 200 at a time, leave nothing of 500 units and get none twice', async () => {
      const shard = await loaded({ stock: { 1: 500 }, limitPerUser: 1 });
      const users = serials(1, 2000).map((user) => `u${user}`);
      const joined = await inParallel(users, 200, (userId) => shard.join(userId));
      const serialsOfClaims: number[] = [];
      for (let claim = await shard.claim(); claim.outcome === 'claimed'; claim = await shard.claim()) {
        serialsOfClaims.push(...claim.tickets.flatMap(({ lines }) => lines.flatMap((line) => line.serials)));
        await shard.settle(claim.tickets.map(({ ticketId }) => ({ ticketId, outcome: 'ordered', orderId: ticketId, amountMinor: 1, currency: 'EUR', payBeforeMs: 1 })));
      }
      expect(serialsOfClaims.sort((a, b) => a - b)).toEqual(serials(1, 500));
      expect(await shard.free()).toEqual([]);
      const statuses = tally((await Promise.all(users.map((userId) => shard.ticket(userId)))).map((ticket) => ticket?.status ?? 'none'));
      expect(statuses).toEqual(mode === 'queue' ? { awaiting_payment: 500, sold_out: 1500 } : { awaiting_payment: 500, none: 1500 });
      if (mode === 'instant') expect(tally(joined.map(({ outcome }) => outcome))).toEqual({ reserved: 500, sold_out: 1500 });
    });
  });
});
