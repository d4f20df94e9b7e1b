import { STOCK_CHANNEL } from '../../src/goods/index.js';
import { until } from '../harness/until.js';
import { withoutExpiry } from './model/verify.js';
import { ScriptBench, serials, type TestShard } from './test-shard.js';

describe('mend.lua', () => {
  let bench: ScriptBench;
  const heard: string[] = [];
  beforeAll(async () => {
    bench = await ScriptBench.open();
    bench.subscriber.on('message', (_channel: string, message: string) => heard.push(message));
    await bench.subscriber.subscribe(STOCK_CHANNEL);
  });
  afterAll(() => bench.close());

  const mend = (shard: TestShard, serial: number, copies: number, epoch = '1'): Promise<string> =>
    shard.stock.mend(shard.at, epoch, { itemId: '1', serial, copies });

  it('lists a missing token, once, however often it is asked to', async () => {
    const shard = await bench.loaded({ tokens: new Map([['1', [1, 3]]]) });
    expect([await mend(shard, 2, 1), await mend(shard, 2, 1)]).toEqual(['mended', 'fine']);
    expect(await shard.free()).toEqual([1, 3, 2]);
  });

  it('leaves one of a token that is listed several times, and none of one that must not be there', async () => {
    const shard = await bench.loaded({ tokens: new Map([['1', [1, 2, 2, 3, 2, 11]]]) });
    expect([await mend(shard, 2, 1), await mend(shard, 1, 0), await mend(shard, 4, 0)]).toEqual(['mended', 'mended', 'fine']);
    expect(await shard.free()).toEqual([2, 3, 11]);
  });

  it('says when an item ran dry by it, or came back, and lets the list expire with the sale', async () => {
    const shard = await bench.loaded({ stock: { 1: 1 } });
    heard.length = 0;
    await mend(shard, 1, 0);
    await mend(shard, 1, 1);
    const messages = (): string[] => heard.filter((message) => message.includes(` ${shard.at.saleId}:0 `)).slice(-2);
    await until('both messages', () => messages().join() === `sold_out ${shard.at.saleId}:0 1,in_stock ${shard.at.saleId}:0 1`);
    expect(await withoutExpiry(shard)).toEqual([]);
  });

  it('refuses another epoch and a shard that nothing is loaded into', async () => {
    const shard = await bench.loaded();
    expect(await mend(shard, 1, 0, '2')).toBe('stale');
    expect(await shard.free()).toEqual(serials(1, 10));
    expect(await mend(bench.empty(), 1, 1)).toBe('stale');
  });
});
