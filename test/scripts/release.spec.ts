import { saleKeys } from '../../src/goods/index.js';
import { ScriptBench, serials } from './test-shard.js';

describe('release.lua', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  it('puts a token at the end of the stock list and takes the unit off its shopper', async () => {
    const shard = await bench.loaded({ units: [['a:1', 2]] });
    expect(await shard.release(1, { serial: 11, userId: 'a' })).toBe('released');
    expect([await shard.free(), await shard.units('a')]).toEqual([serials(1, 11), 1]);
  });

  it('counts each row of the outbox once, however often and in whatever order it is relayed', async () => {
    const shard = await bench.loaded({ stock: { 1: 0 }, units: [['a:1', 3]] });
    const rows = [3, 1, 2, 3, 1, 2, 1];
    const outcomes = await Promise.all(rows.map((id) => shard.release(id, { serial: id, userId: 'a' })));
    expect(outcomes).toEqual(['released', 'released', 'released', 'repeated', 'repeated', 'repeated', 'repeated']);
    expect([await shard.free(), await shard.units('a')]).toEqual([[3, 1, 2], 0]);
  });

  it('takes new stock, which nobody held, off no shopper', async () => {
    const shard = await bench.loaded();
    expect(await shard.release(1, { serial: 11, userId: null })).toBe('released');
    expect(await shard.redis.exists(saleKeys.units(shard.at))).toBe(0);
    expect(await shard.free()).toEqual(serials(1, 11));
  });

  it('takes rows from before the build for repeats, and rows with ids of today as they come', async () => {
    const shard = await bench.loaded({ returnsBase: 5_000_000_000 });
    expect(await shard.release(4_999_999_999, { serial: 11 })).toBe('repeated');
    expect(await shard.release(5_000_000_000, { serial: 11 })).toBe('released');
    expect(await shard.release(5_000_000_001, { serial: 12 })).toBe('released');
    expect(await shard.release(5_000_000_000, { serial: 11 })).toBe('repeated');
    expect(await shard.redis.memory('USAGE', saleKeys.returned(shard.at))).toBeLessThan(1000);
  });

  it('lets the unit be bought again, by its former shopper, too', async () => {
    const shard = await bench.loaded({ stock: { 1: 1 }, limitPerUser: 1 });
    await shard.join('a');
    await shard.orderAll();
    await shard.finish('a', 'expired');
    expect(await shard.join('a', undefined, 'second')).toMatchObject({ outcome: 'limit_reached' });
    await shard.release(1, { serial: 1, userId: 'a' });
    expect(await shard.join('a', undefined, 'second')).toMatchObject({ outcome: 'queued' });
  });

  it('refuses another epoch and a shard that nothing is loaded into', async () => {
    const shard = await bench.loaded();
    expect(await shard.release(1, { epoch: '2' })).toBe('stale');
    expect(await shard.release(1, { epoch: '0' })).toBe('stale');
    expect(await shard.release(1, { serial: 11 })).toBe('released');
    const empty = bench.empty();
    expect(await empty.release(1)).toBe('stale');
    expect(await empty.keys()).toEqual([]);
  });
});
