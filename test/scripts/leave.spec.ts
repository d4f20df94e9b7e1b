import { ordered, requeued, ScriptBench } from './test-shard.js';

describe('leave.lua', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  it('takes a waiting shopper out of the line, who may then join again at its end', async () => {
    const shard = await bench.loaded();
    for (const userId of ['a', 'b']) await shard.join(userId);
    expect(await shard.leave('a')).toEqual({ outcome: 'left' });
    expect(await shard.ticket('a')).toEqual({ ticketId: 'ticket-a', status: 'left', seq: 1, reason: 'LEFT_BY_SHOPPER' });
    expect(await shard.live('a')).toBe(0);
    expect(await shard.join('a', undefined, 'second')).toMatchObject({ outcome: 'queued', position: 3 });
    expect((await shard.claimed()).tickets.map(({ ticketId }) => ticketId)).toEqual(['ticket-b', 'second']);
  });

  it('may be repeated', async () => {
    const shard = await bench.loaded();
    await shard.join('a');
    for (let i = 0; i < 3; i += 1) expect(await shard.leave('a')).toEqual({ outcome: 'left' });
    expect(await shard.live('a')).toBe(0);
  });

  it('refuses once the ticket was claimed, and for good: what goes back to the line will be decided in a moment', async () => {
    const shard = await bench.loaded();
    await shard.join('a');
    await shard.claim();
    expect(await shard.leave('a')).toEqual({ outcome: 'claimed', status: 'queued' });
    await shard.settle([requeued('ticket-a')]);
    expect(await shard.leave('a')).toEqual({ outcome: 'claimed', status: 'queued' });
    await shard.claim();
    await shard.settle([ordered('ticket-a')]);
    expect(await shard.leave('a')).toEqual({ outcome: 'claimed', status: 'awaiting_payment' });
    expect(await shard.live('a')).toBe(1);
  });

  it('refuses in mode instant, where joining took the tokens', async () => {
    const shard = await bench.loaded({ mode: 'instant' });
    await shard.join('a');
    expect(await shard.leave('a')).toEqual({ outcome: 'claimed', status: 'reserved' });
  });

  it('leaves a shard alone that is frozen for a rebuild, which would put the shopper back in line', async () => {
    const shard = await bench.loaded();
    await shard.join('a');
    await shard.sales.freeze(shard.at, '2');
    expect(await shard.leave('a')).toEqual({ outcome: 'not_loaded' });
    expect([(await shard.ticket('a'))?.status, await shard.live('a')]).toEqual(['queued', 1]);
  });

  it('knows strangers and sales that are not loaded', async () => {
    expect(await (await bench.loaded()).leave('a')).toEqual({ outcome: 'no_ticket' });
    expect(await bench.empty().leave('a')).toEqual({ outcome: 'not_loaded' });
  });
});
