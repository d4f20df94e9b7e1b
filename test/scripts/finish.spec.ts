import { ordered, orderOf, ScriptBench, type TestShard } from './test-shard.js';

describe('finish.lua', () => {
  let bench: ScriptBench;
  beforeAll(async () => {
    bench = await ScriptBench.open();
  });
  afterAll(() => bench.close());

  const withOrder = async (): Promise<TestShard> => {
    const shard = await bench.loaded();
    await shard.join('a');
    await shard.orderAll();
    return shard;
  };

  it.each(['paid', 'expired', 'cancelled'] as const)('ends a ticket as %s, keeps its order and frees the shopper once, also when repeated', async (status) => {
    const shard = await withOrder();
    for (let i = 0; i < 3; i += 1) expect(await shard.finish('a', status)).toBe('finished');
    expect(await shard.ticket('a')).toMatchObject({ status, orderId: 'order-ticket-a', amountMinor: 100 });
    expect([await shard.live('a'), await shard.units('a')]).toEqual([0, 1]);
  });

  it('names the order also of a ticket that was not settled yet, and the settlement that follows changes nothing', async () => {
    const shard = await bench.loaded();
    await shard.join('a');
    await shard.claim();
    expect(await shard.finish('a', 'paid')).toBe('finished');
    await shard.settle([ordered('ticket-a')]);
    expect(await shard.ticket('a')).toMatchObject({ status: 'paid', orderId: 'order-ticket-a', amountMinor: 100, currency: 'EUR' });
    expect(await shard.live('a')).toBe(0);
  });

  it('tells a refund after the payment, and counts nothing twice', async () => {
    const shard = await withOrder();
    await shard.finish('a', 'paid');
    await shard.seckill.finish(shard.at, { epoch: '1', userId: 'a', ticketId: 'ticket-a', status: 'cancelled', reason: 'REFUNDED', ...orderOf('ticket-a') });
    expect(await shard.ticket('a')).toMatchObject({ status: 'cancelled', reason: 'REFUNDED' });
    expect(await shard.live('a')).toBe(0);
  });

  it('leaves a later ticket of the shopper alone', async () => {
    const shard = await withOrder();
    await shard.finish('a', 'paid');
    await shard.join('a', undefined, 'second');
    expect(await shard.finish('a', 'cancelled')).toBe('other_ticket');
    expect(await shard.ticket('a')).toMatchObject({ ticketId: 'second', status: 'queued' });
    expect(await shard.live('a')).toBe(1);
  });

  it('ends a ticket that a rebuilt state took from its order', async () => {
    const shard = await bench.loaded({ tickets: [['a', { ticketId: 'ticket-a', status: 'awaiting_payment', seq: 0, amountMinor: 123_456_789_012_345 }]], liveTickets: [['a', 1]] });
    const order = { orderId: 'big', amountMinor: 123_456_789_012_345, currency: 'EUR' };
    expect(await shard.seckill.finish(shard.at, { epoch: '1', userId: 'a', ticketId: 'ticket-a', status: 'paid', reason: null, ...order })).toBe('finished');
    expect(await shard.ticket('a')).toEqual({ ticketId: 'ticket-a', status: 'paid', seq: 0, ...order });
    expect(await shard.live('a')).toBe(0);
  });

  it('refuses another epoch, strangers and a shard that nothing is loaded into', async () => {
    const shard = await withOrder();
    await shard.load({ epoch: '2' });
    expect(await shard.finish('a', 'paid')).toBe('stale');
    expect(await (await bench.loaded()).finish('a', 'paid')).toBe('other_ticket');
    expect(await bench.empty().finish('a', 'paid')).toBe('stale');
  });
});
