import { JOURNEY, JOURNEY_PLAN } from './journey.js';
import { withoutExpiry } from './model/verify.js';
import { requeued, ScriptBench } from './test-shard.js';

describe('every key of a shard expires with the sale', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  it.each(['queue', 'instant'] as const)('after each step in mode %s', async (mode) => {
    const shard = bench.empty({ ...JOURNEY_PLAN, mode });
    for (const [name, run] of JOURNEY) {
      await run(shard);
      expect([name, await withoutExpiry(shard)]).toEqual([name, []]);
    }
  });

  it('the claimed tickets too, when they come back while others stand in the queue', async () => {
    const shard = await bench.loaded({ mode: 'instant' });
    await shard.join('a');
    await shard.claim();
    await shard.settle([requeued('ticket-a')]);
    await shard.join('b');
    expect(await withoutExpiry(shard)).toEqual([]);
  });

  it('the units too, when a release is the first to write them', async () => {
    const shard = await bench.loaded();
    await shard.release(1, { serial: 11, userId: 'a' });
    expect(await withoutExpiry(shard)).toEqual([]);
  });
});
