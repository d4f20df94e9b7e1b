import { saleKeys } from '../../src/goods/index.js';
import { ScriptBench, serials, type TestShard } from './test-shard.js';

describe('withdraw.lua and conclude.lua', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  const conclude = (shard: TestShard, id: string, end: 'withdrawn' | 'returned', epoch = '1', drop: number[] = []): Promise<void> =>
    shard.stock.conclude(shard.at, epoch, { id, itemId: '1' }, end === 'withdrawn' ? { end } : { end, drop });

  it('takes the last in line, and keeps them until they are concluded', async () => {
    const shard = await bench.loaded();
    expect(await shard.withdraw(3, '1', 'w')).toEqual({ outcome: 'taken', serials: [10, 9, 8] });
    expect(await shard.free()).toEqual(serials(1, 7));
    expect(await shard.stock.withdrawals(shard.at)).toEqual([{ id: 'w', itemId: '1', serials: [10, 9, 8], userId: '', toShard: null }]);
    await conclude(shard, 'w', 'withdrawn');
    expect([await shard.free(), await shard.stock.withdrawals(shard.at)]).toEqual([serials(1, 7), []]);
  });

  it('does not put back what is in other hands', async () => {
    const shard = await bench.loaded();
    await shard.withdraw(3, '1', 'w');
    await conclude(shard, 'w', 'returned', '1', [9]);
    expect((await shard.free()).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10]);
  });

  it('counts the units of a late order for its shopper once they are kept', async () => {
    const shard = await bench.loaded();
    await shard.stock.withdraw(shard.at, '1', { id: 'w', itemId: '1', quantity: 2, userId: 'a' });
    expect(await shard.units('a')).toBe(0);
    for (let i = 0; i < 2; i += 1) await conclude(shard, 'w', 'withdrawn');
    expect(await shard.units('a')).toBe(2);
  });

  it('puts what is not withdrawn after all back in its old order, once', async () => {
    const shard = await bench.loaded();
    await shard.withdraw(10, '1', 'w');
    expect(await shard.redis.exists(saleKeys.stock(shard.at, '1'))).toBe(0);
    for (let i = 0; i < 3; i += 1) await conclude(shard, 'w', 'returned');
    await conclude(shard, 'w', 'withdrawn');
    expect(await shard.free()).toEqual(serials(1, 10));
  });

  it('answers a repeat of the same withdrawal with the same tokens, and takes no more', async () => {
    const shard = await bench.loaded();
    const first = await shard.withdraw(3, '1', 'w');
    expect(await shard.withdraw(3, '1', 'w')).toEqual(first);
    expect(await shard.free()).toHaveLength(7);
    await conclude(shard, 'w', 'returned');
    expect(await shard.free()).toEqual(serials(1, 10));
  });

  it('leaves what the queue may take to it, but for an operator', async () => {
    const shard = await bench.loaded({ stock: { 1: 10 }, limitPerUser: 2 });
    for (const userId of ['a', 'b', 'c']) await shard.join(userId);
    const call = (quantity: number) => ({ id: `w${quantity}`, itemId: '1', quantity });
    for (const whose of [{ userId: 'late' }, { toShard: 1 }]) {
      expect(await shard.stock.withdraw(shard.at, '1', { ...call(5), ...whose })).toEqual({ outcome: 'line_first' });
      expect(await shard.free()).toHaveLength(10);
    }
    expect(await shard.stock.withdraw(shard.at, '1', { ...call(4), toShard: 1 })).toMatchObject({ outcome: 'taken' });
    expect(await shard.withdraw(6)).toMatchObject({ outcome: 'taken' });
  });

  it('takes all that is asked for or nothing', async () => {
    const shard = await bench.loaded();
    expect(await shard.withdraw(11)).toEqual({ outcome: 'short', left: 10 });
    expect([await shard.free(), await shard.stock.withdrawals(shard.at)]).toEqual([serials(1, 10), []]);
  });

  it.each([0, -1, 1.5, NaN])('refuses %s units', async (quantity) => {
    const shard = await bench.loaded();
    expect(await shard.withdraw(quantity)).toEqual({ outcome: 'short', left: 10 });
    expect(await shard.free()).toHaveLength(10);
  });

  it('takes and puts back more than Lua can unpack', async () => {
    const shard = await bench.loaded({ stock: { 1: 50_000 } });
    const taken = await shard.withdraw(40_000, '1', 'w');
    expect(taken).toEqual({ outcome: 'taken', serials: serials(10_001, 50_000).reverse() });
    await conclude(shard, 'w', 'returned');
    expect(await shard.free()).toEqual(serials(1, 50_000));
  });

  it('refuses another epoch and a shard that nothing is loaded into', async () => {
    const shard = await bench.loaded();
    await shard.withdraw(1, '1', 'w');
    await shard.load({ epoch: '2' });
    expect(await shard.withdraw(1)).toEqual({ outcome: 'stale' });
    await conclude(shard, 'w', 'returned');
    expect([await shard.free(), await shard.stock.withdrawals(shard.at)]).toEqual([serials(1, 10), []]);
    expect(await bench.empty().withdraw(1)).toEqual({ outcome: 'stale' });
  });
});
