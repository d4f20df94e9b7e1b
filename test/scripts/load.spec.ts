import { saleKeys } from '../../src/goods/index.js';
import { Script } from '../../src/infra/redis/index.js';
import { ScriptBench, serials, type TestShard } from './test-shard.js';

describe('load.lua and stage.lua', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  const isLoading = (shard: TestShard): Promise<boolean> => shard.keys().then((keys) => keys.some((key) => key.includes(':building:')));

  it('puts tokens, tickets, live counts and units in place, the lowest serials to be sold first', async () => {
    const shard = bench.empty({
      stock: { 1: 3, 2: 0 }, tokens: new Map([['1', [2, 5, 9]]]),
      tickets: [['a', { ticketId: 'old', status: 'awaiting_payment', seq: 0 }], ['b', { ticketId: 'older', status: 'paid', seq: 0 }]],
      liveTickets: [['a', 1]], units: [['a:1', 2], ['b:2', 1]],
    });
    expect(await shard.load()).toEqual({ outcome: 'loaded', tokens: 3 });
    expect([await shard.free('1'), await shard.free('2')]).toEqual([[2, 5, 9], []]);
    expect([await shard.units('a', '1'), await shard.units('b', '2'), await shard.live('a'), await shard.live('b')]).toEqual([2, 1, 1, 0]);
    expect([await shard.ticket('a'), await shard.ticket('b')]).toMatchObject([{ status: 'awaiting_payment' }, { status: 'paid' }]);
    expect(await shard.join('a')).toEqual({ outcome: 'unpaid_order' });
    expect(await shard.join('a', undefined, 'old')).toMatchObject({ outcome: 'queued' });
  });

  it('leaves a state of the same or a newer epoch as it stands', async () => {
    const shard = await bench.loaded({ epoch: '10' });
    await shard.join('a');
    for (const epoch of ['10', '9', '1']) expect(await shard.load({ epoch })).toEqual({ outcome: 'standing', epoch: '10' });
    expect([await shard.free(), await shard.queue(), await isLoading(shard)]).toEqual([serials(1, 10), ['1 a'], false]);
  });

  it('compares epochs as numbers', async () => {
    const shard = await bench.loaded({ epoch: '9' });
    expect(await shard.load({ epoch: '10' })).toEqual({ outcome: 'loaded', tokens: 10 });
  });

  it('replaces the state of an older epoch whole', async () => {
    const shard = await bench.loaded();
    for (const userId of ['a', 'b']) await shard.join(userId);
    await shard.claim({ maxTickets: 1 });
    await shard.withdraw(1);
    await shard.release(1, { serial: 11 });
    await shard.load({ epoch: '2' });
    expect(await shard.keys()).toEqual([saleKeys.goods(shard.at), saleKeys.sale(shard.at), saleKeys.stock(shard.at, '1')]);
    expect([await shard.free(), await shard.claim()]).toEqual([serials(1, 10), { outcome: 'empty' }]);
    expect(await shard.join('a')).toMatchObject({ outcome: 'queued', position: 1, wake: true });
  });

  it.each([2, 10])('loads once when %i builds of the same epoch run at once', async (builds) => {
    const shard = bench.empty({ stock: { 1: 12_000, 2: 3 }, units: serials(1, 6000).map((user) => [`u${user}:1`, 1]) });
    const outcomes = (await Promise.all(serials(1, builds).map(() => shard.load()))).map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['loaded', ...Array.from({ length: builds - 1 }, () => 'standing')]);
    expect([await shard.free('1'), await shard.free('2')]).toEqual([serials(1, 12_000), serials(1, 3)]);
    expect([await shard.redis.hlen(saleKeys.units(shard.at)), await isLoading(shard)]).toEqual([6000, false]);
  });

  it('lets the newest of several epochs win', async () => {
    const shard = bench.empty();
    await Promise.all(['3', '1', '2'].map((epoch) => shard.load({ epoch })));
    expect([await shard.sales.epochOf(shard.at), await shard.free()]).toEqual(['3', serials(1, 10)]);
  });

  it('doubles nothing in 100 loads', async () => {
    const shard = bench.empty();
    for (let i = 0; i < 100; i += 1) await shard.load();
    expect(await shard.free()).toEqual(serials(1, 10));
  });

  it('shows nothing of a build before it is complete: 100,000 tokens come in chunks, and then at once', async () => {
    const shard = bench.empty({ stock: { 1: 100_000 } });
    let isDone = false;
    const loading = shard.load().finally(() => (isDone = true));
    const lengths = new Set<number>();
    let chunksSeen = 0;
    while (!isDone) {
      lengths.add(await shard.redis.llen(saleKeys.stock(shard.at, '1')));
      if (await isLoading(shard)) chunksSeen += 1;
    }
    expect(await loading).toEqual({ outcome: 'loaded', tokens: 100_000 });
    expect(chunksSeen).toBeGreaterThan(0);
    expect([...lengths].filter((length) => length !== 0 && length !== 100_000)).toEqual([]);
    expect(await shard.free()).toEqual(serials(1, 100_000));
  });

  it('puts nothing in place when Redis lost a part of what was prepared, and loads at the next try', async () => {
    const shard = bench.empty({ stock: { 1: 5, 2: 20_000 } });
    const loading = shard.load();
    loading.catch(() => undefined);
    while (!(await isLoading(shard)));
    await shard.redis.flushall();
    await expect(loading).rejects.toThrow('lost a part');
    expect(await shard.sales.epochOf(shard.at)).toBeNull();
    expect(await shard.load()).toEqual({ outcome: 'loaded', tokens: 20_005 });
  });

  it('notices that a part which was complete is gone: nothing would ever bring its tokens back', async () => {
    const shard = bench.empty({ stock: { 1: 5, 2: 5 } });
    function* afterTheLoss(): Generator<number> {
      // Sent before the chunk that these serials go into, and after everything of item 1.
      shard.redis.flushall().catch(() => undefined);
      yield* serials(1, 5);
    }
    await expect(shard.load({ tokens: new Map<string, Iterable<number>>([['1', serials(1, 5)], ['2', afterTheLoss()]]) })).rejects.toThrow('lost a part');
    expect(await shard.keys()).toEqual([]);
  });

  it('counts a chunk that is sent again once, and takes none out of its turn', async () => {
    const stage = new Script('stageAgain', new URL('../../src/goods/scripts/stage.lua', import.meta.url));
    const { redis, at } = bench.empty();
    const send = (kind: string, before: number, ...values: (string | number)[]): Promise<unknown> =>
      stage.run(redis, [saleKeys.staging(saleKeys.stock(at, kind), 'again')], [kind, before, 60, 2, ...values]);
    for (const [kind, first, second] of [['list', [1, 2], [3, 4]], ['hash', ['a', 1, 'b', 2], ['c', 3, 'd', 4]]] as const) {
      expect([await send(kind, 0, ...first), await send(kind, 0, ...first)]).toEqual([['STAGED', 2], ['STAGED', 2]]);
      expect([await send(kind, 2, ...second), await send(kind, 2, ...second)]).toEqual([['STAGED', 4], ['STAGED', 4]]);
      expect(await send(kind, 6, ...first)).toEqual(['LOST', 4]);
    }
    expect(await redis.lrange(saleKeys.staging(saleKeys.stock(at, 'list'), 'again'), 0, -1)).toEqual(['4', '3', '2', '1']);
  });

  it('gives everything it prepares a time to live from the first chunk on', async () => {
    const shard = bench.empty({ stock: { 1: 50_000 }, units: serials(1, 5000).map((user) => [`u${user}:1`, 1]) });
    let isDone = false;
    const loading = shard.load().finally(() => (isDone = true));
    const ttls: number[] = [];
    while (!isDone) {
      const staged = (await shard.keys()).filter((key) => key.includes(':building:'));
      ttls.push(...(await Promise.all(staged.map((key) => shard.redis.ttl(key)))));
    }
    await loading;
    expect(ttls.length).toBeGreaterThan(0);
    expect(ttls).not.toContain(-1);
  });

  it('takes a sale of 100 items and one whose every unit is gone', async () => {
    const stock = Object.fromEntries(serials(1, 100).map((item) => [String(item), item % 3]));
    const shard = bench.empty({ stock });
    expect(await shard.load()).toEqual({ outcome: 'loaded', tokens: 100 });
    expect(await shard.steer({ limitPerUser: 1 })).toBe('steered');
    expect(await shard.join('a', { 100: 2 })).toMatchObject({ outcome: 'limit_reached', limit: 1 });
    expect(await shard.join('a', { 99: 1 })).toMatchObject({ outcome: 'sold_out', left: 0 });
  });

  it('builds no state that would outlive its sale: one whose retention is over goes at once', async () => {
    const shard = bench.empty();
    await shard.load({ expireAtMs: (await shard.nowMs()) - 1 });
    expect(await shard.keys()).toEqual([]);
    expect(await shard.join('a')).toEqual({ outcome: 'not_loaded' });
  });
});
