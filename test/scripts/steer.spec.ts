import { policyKey } from '../../src/goods/sale.scripts.js';
import { ScriptBench, serials } from './test-shard.js';
import { withoutExpiry } from './model/verify.js';

describe('steer.lua', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  it('pauses, resumes and ends a sale, and leaves line, tokens and counters as they are', async () => {
    const shard = await bench.loaded();
    for (const userId of ['a', 'b']) await shard.join(userId);
    await shard.claim({ maxTickets: 1 });
    const outcomes: string[] = [];
    for (const state of ['paused', 'open', 'ended'] as const) {
      expect(await shard.steer({ state })).toBe('steered');
      outcomes.push((await shard.join(state)).outcome);
      await shard.leave(state);
    }
    expect(outcomes).toEqual(['paused', 'queued', 'ended']);
    expect([await shard.free(), await shard.live('a'), await shard.live('b'), await shard.units('a')]).toEqual([serials(2, 10), 1, 1, 1]);
  });

  it('moves the window, and with it the expiry of every key', async () => {
    const shard = await bench.loaded({ mode: 'instant' });
    for (const userId of ['a', 'b']) await shard.join(userId);
    await shard.claim({ maxTickets: 1 });
    await shard.withdraw(1);
    await shard.release(1, { serial: 11 });
    const later = { endsAtMs: shard.policy().endsAtMs + 1000, expireAtMs: shard.policy().expireAtMs + 1000 };
    expect(await shard.steer(later)).toBe('steered');
    Object.assign(shard.plan, later);
    expect(await shard.sales.steeringOf(shard.at)).toEqual({ epoch: '1', policy: policyKey(shard.policy(later)) });
    expect(await withoutExpiry(shard)).toEqual([]);
    await shard.withdraw(1);
    await shard.join('c');
    expect(await withoutExpiry(shard)).toEqual([]);
  });

  it('changes the limit', async () => {
    const shard = await bench.loaded({ limitPerUser: 1 });
    expect(await shard.join('a', { 1: 2 })).toMatchObject({ outcome: 'limit_reached' });
    await shard.steer({ limitPerUser: 2 });
    expect(await shard.join('a', { 1: 2 })).toMatchObject({ outcome: 'queued' });
  });

  it('refuses another epoch and a shard that nothing is loaded into', async () => {
    const shard = await bench.loaded({ epoch: '2' });
    for (const epoch of ['1', '3']) expect(await shard.sales.steer(shard.at, epoch, shard.policy({ state: 'ended' }))).toBe('not_loaded');
    expect(await shard.join('a')).toMatchObject({ outcome: 'queued' });
    const empty = bench.empty();
    expect(await empty.steer({ state: 'ended' })).toBe('not_loaded');
    expect(await empty.keys()).toEqual([]);
  });
});
