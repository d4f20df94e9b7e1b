import { shardName, STOCK_CHANNEL } from '../../src/goods/index.js';
import { rejected, requeued, ScriptBench, type ShardPlan, type TestShard } from './test-shard.js';
import { until } from '../harness/until.js';

describe('the broadcast of dry and refilled items', () => {
  let bench: ScriptBench;
  const heard: string[] = [];
  beforeAll(async () => {
    bench = await ScriptBench.open();
    bench.subscriber.on('message', (_channel: string, message: string) => heard.push(message));
    await bench.subscriber.subscribe(STOCK_CHANNEL);
  });
  afterAll(() => bench.close());

  /** Everything that was said until now. */
  const allHeard = async (): Promise<string[]> => {
    await bench.redis.publish(STOCK_CHANNEL, 'mark');
    await until('the mark', () => heard.at(-1) === 'mark');
    return heard.splice(0).slice(0, -1);
  };
  /** What is said during a step. */
  const during = async (shard: TestShard, step: () => Promise<unknown>): Promise<string[]> => {
    await allHeard();
    await step();
    return (await allHeard()).map((message) => message.replace(` ${shardName(shard.at)} `, ' '));
  };
  const loaded = async (plan: ShardPlan, ...userIds: string[]): Promise<TestShard> => {
    const shard = await bench.loaded(plan);
    for (const userId of userIds) await shard.join(userId);
    return shard;
  };

  it('names sale, shard and item', async () => {
    const shard = await loaded({ stock: { 1: 1 } }, 'a');
    await allHeard();
    await shard.claim();
    expect(await allHeard()).toEqual([`sold_out ${shard.at.saleId}:0 1`]);
  });

  it('tells at a load what is there', async () => {
    const shard = bench.empty({ stock: { 1: 1, 2: 0 } });
    expect(await during(shard, () => shard.load())).toEqual(['in_stock 1', 'sold_out 2']);
    expect(await during(shard, () => shard.load())).toEqual([]);
  });

  it.each([['not open yet', { startsAtMs: Date.now() + 1_800_000 }], ['paused', { state: 'paused' as const }]])('keeps to itself what runs dry in a sale that is %s', async (_what, plan) => {
    const shard = bench.empty({ stock: { 1: 1, 2: 0 }, ...plan });
    expect(await during(shard, () => shard.load())).toEqual(['in_stock 1']);
    expect(await during(shard, () => shard.withdraw(1))).toEqual([]);
    expect(await shard.free()).toEqual([]);
  });

  it('says sold_out when a claim takes the last unit, and only then', async () => {
    const shard = await loaded({ stock: { 1: 3 } }, 'a', 'b', 'c');
    expect(await during(shard, () => shard.claim({ maxTickets: 2 }))).toEqual([]);
    await shard.settle([requeued('ticket-b')]);
    expect(await during(shard, () => shard.claim({ drainId: 'drain' }))).toEqual([]);
  });

  it.each(['queue', 'instant'] as const)('says it once for the last unit in mode %s', async (mode) => {
    const shard = await bench.loaded({ mode, stock: { 1: 2, 2: 5 } });
    const takeLast = async (): Promise<void> => {
      await shard.join('a', { 1: 1, 2: 1 });
      await shard.join('b', { 1: 1, 2: 1 });
      await shard.claim();
    };
    expect(await during(shard, takeLast)).toEqual(['sold_out 1']);
    expect(await during(shard, () => shard.join('c'))).toEqual([]);
  });

  it.each([['rejected', rejected], ['requeued', requeued]])('says in_stock when a ticket is %s and an item comes back, once', async (_, settlement) => {
    const shard = await loaded({ stock: { 1: 2 } }, 'a', 'b');
    await shard.claim();
    expect(await during(shard, () => shard.settle([settlement('ticket-a'), settlement('ticket-b')]))).toEqual(['in_stock 1']);
    expect(await during(shard, () => shard.settle([settlement('ticket-a')]))).toEqual([]);
  });

  it('says nothing when none of the tokens may come back', async () => {
    const shard = await loaded({ stock: { 1: 1 } }, 'a');
    await shard.claim();
    expect(await during(shard, () => shard.settle([requeued('ticket-a', [{ itemId: '1', serial: 1 }])]))).toEqual([]);
  });

  it('says in_stock at the first released unit of a dry item', async () => {
    const shard = await bench.loaded({ stock: { 1: 0 } });
    expect(await during(shard, () => shard.release(1, { serial: 1 }))).toEqual(['in_stock 1']);
    expect(await during(shard, () => shard.release(1, { serial: 1 }))).toEqual([]);
    expect(await during(shard, () => shard.release(2, { serial: 2 }))).toEqual([]);
  });

  it('says both when the last units are withdrawn and returned', async () => {
    const shard = await bench.loaded({ stock: { 1: 3 } });
    expect(await during(shard, () => shard.withdraw(1, '1', 'w1'))).toEqual([]);
    expect(await during(shard, () => shard.withdraw(2, '1', 'w2'))).toEqual(['sold_out 1']);
    const conclude = (id: string): Promise<void> => shard.stock.conclude(shard.at, '1', { id, itemId: '1' }, { end: 'returned', drop: [] });
    expect(await during(shard, () => conclude('w2'))).toEqual(['in_stock 1']);
    expect(await during(shard, () => conclude('w1'))).toEqual([]);
  });
});
