import { ok } from '../harness/shop.js';
import { StripeBench, type Paying } from '../harness/stripe-bench.js';
import type { Refund } from '../harness/stripe-books.js';
import { chargeOf, intentSucceeded, refundFailed, refundUpdated } from '../harness/stripe-events.js';
import { until } from '../harness/until.js';

/** Stripe is a stand-in that the real library talks to; its webhooks are sent by the tests, at the moment they want. */
describe('money that Stripe could not send back', () => {
  let bench: StripeBench;
  beforeAll(async () => {
    bench = await StripeBench.open();
  });
  afterEach(() => bench.calm());
  afterAll(() => bench.close());

  const refunded = async (): Promise<{ one: Paying; refund: Refund }> => {
    const one = await bench.paying();
    await bench.succeed(one);
    ok(await bench.shop.operator.post(`/admin/orders/${one.orderId}/refund`), 200);
    await until('the refund to be through', async () => (await bench.orderOf(one)).refund === 'done');
    const [refund] = bench.stripe.books.refundsOf(one.intent.id);
    if (!refund) throw new Error('there is no refund');
    return { one, refund };
  };
  const recordOf = async ({ orderId }: Paying): Promise<any> => ok(await bench.shop.operator.get(`/admin/orders/${orderId}`), 200).body; // eslint-disable-line @typescript-eslint/no-explicit-any -- an order
  const found = async (refund: string): Promise<string[]> => ok(await bench.shop.operator.get(`/admin/orders?refund=${refund}&limit=100`), 200).body.orders.map(({ id }: { id: string }) => id);
  const refundsAt = ({ intent }: Paying): string[] => bench.stripe.books.allRefundsOf(intent.id).map(({ status }) => status);
  /** As if the pause before the next refund had passed. */
  const passPause = ({ orderId }: Paying): Promise<unknown> => bench.shop.database.query(`UPDATE payments SET next_refund_at = ? WHERE order_id = ? AND status = 'refund_due'`, [new Date(Date.now() - 1000), orderId]);

  it('is not shown as gone any more, by whichever events Stripe says so, and goes out again when an operator wants it', async () => {
    const { one, refund } = await refunded();
    bench.stripe.books.failRefund(refund, 'expired_or_canceled_card');
    for (const type of ['refund.updated', 'charge.refund.updated', 'refund.failed', 'refund.failed'] as const) ok(await bench.send(refundFailed(refund, type)), 200);
    const order = await bench.orderOf(one);
    expect([order.status, order.refund, order.refundedAt]).toEqual(['refunded', 'failed', undefined]);
    const { payments } = await recordOf(one);
    expect(payments[0]).toMatchObject({ status: 'refund_failed', events: [{ result: 'succeeded' }, { eventId: `refund_failed:${refund.id}`, result: 'refund_failed', reason: 'expired_or_canceled_card', amountMinor: 100, currency: 'EUR' }] });
    expect([await found('failed'), await found('due')]).toEqual([[one.orderId], []]);
    const metrics = await (await fetch(bench.shop.api.base.replace(/api$/, 'metrics'))).text();
    expect(metrics).toMatch(/^seckill_refunds_total\{outcome="given_up"\} 1$/m);

    ok(await bench.shop.operator.post(`/admin/orders/${one.orderId}/refund`), 200);
    await until('the second refund to be through', async () => (await bench.orderOf(one)).refund === 'done');
    expect([refundsAt(one), await bench.paymentsOf(one), await found('failed')]).toEqual([['failed', 'succeeded'], ['stripe refunded'], []]);
    expect((await bench.orderOf(one)).refundedAt).toMatch(/Z$/);
  });

  it('goes out again by itself after a pause where that may help, three times at most', async () => {
    const { one, refund } = await refunded();
    bench.stripe.books.refundsAre = 'failed';
    ok(await bench.send(refundFailed(bench.stripe.books.failRefund(refund, 'declined'))), 200);
    const { payments } = await recordOf(one);
    expect((await bench.orderOf(one)).refund).toBe('due');
    expect(Date.parse(payments[0].nextRefundAt) - Date.now()).toBeGreaterThan(3_500_000);
    await passPause(one);
    await until('the second refund', async () => (await recordOf(one)).payments[0].events.length === 3);
    expect([(await bench.orderOf(one)).refund, await found('due')]).toEqual(['due', [one.orderId]]);
    await passPause(one);
    await until('the end of it', async () => (await bench.orderOf(one)).refund === 'failed');
    expect(refundsAt(one)).toEqual(['failed', 'failed', 'failed']);

    // An operator's call is one more try, and no more.
    ok(await bench.shop.operator.post(`/admin/orders/${one.orderId}/refund`), 200);
    await until('the fourth refund', async () => (await recordOf(one)).payments[0].events.length === 5);
    expect([refundsAt(one).length, await bench.paymentsOf(one)]).toEqual([4, ['stripe refund_failed']]);
  });

  it('stays so when older words that it has gone come late, and is gone by the word about another refund', async () => {
    const { one, refund } = await refunded();
    const before = refundUpdated({ ...refund });
    bench.stripe.books.failRefund(refund, 'lost_or_stolen_card');
    ok(await bench.send(refundFailed(refund)), 200);
    ok(await bench.send(before), 200);
    ok(await bench.send(JSON.stringify({ ...JSON.parse(before), id: 'evt_late', type: 'charge.refunded', data: { object: chargeOf(one.intent, 100) } })), 200);
    expect((await bench.orderOf(one)).refund).toBe('failed');
    const byHand = bench.stripe.books.createRefund(new URLSearchParams({ payment_intent: one.intent.id }));
    ok(await bench.send(refundUpdated(byHand)), 200);
    expect(await bench.orderOf(one)).toMatchObject({ status: 'refunded', refund: 'done' });
  });

  it('is nothing where it was a part of it, or the order is still paid', async () => {
    const one = await bench.paying();
    await bench.succeed(one);
    const part: Refund = { id: 're_part', object: 'refund', status: 'failed', failure_reason: 'unknown', amount: 40, currency: 'eur', payment_intent: one.intent.id };
    ok(await bench.send(refundFailed(part)), 200);
    ok(await bench.send(refundFailed({ ...part, id: 're_whole', amount: 100 })), 200);
    expect([await bench.paymentsOf(one), (await bench.orderOf(one)).refund]).toEqual([['stripe succeeded'], undefined]);
  });

  it('is tried again by an operator also where the order was never paid', async () => {
    const late = await bench.paying({ stock: 1 });
    bench.stripe.books.pay(late.intent.id);
    ok(await late.shopper.post(`/orders/${late.orderId}/cancel`), 200);
    await bench.shop.buy(await bench.shop.shopper(), late.sale);
    ok(await bench.send(intentSucceeded(late.intent)), 200);
    await until('the money to be back', async () => (await bench.orderOf(late)).refund === 'done');
    const [refund] = bench.stripe.books.refundsOf(late.intent.id);
    if (!refund) throw new Error('there is no refund');
    ok(await bench.send(refundFailed(bench.stripe.books.failRefund(refund, 'merchant_request'))), 200);
    expect(await bench.orderOf(late)).toMatchObject({ status: 'cancelled', refund: 'failed' });
    ok(await bench.shop.operator.post(`/admin/orders/${late.orderId}/refund`), 200);
    await until('the money to be back', async () => (await bench.orderOf(late)).refund === 'done');
    expect(await bench.orderOf(late)).toMatchObject({ status: 'cancelled' });
  });

  it('does not count as gone because Stripe says "refunded already" while that refund is under way', async () => {
    const one = await bench.paying();
    await bench.succeed(one);
    bench.stripe.books.refundsAre = 'pending';
    const byHand = bench.stripe.books.createRefund(new URLSearchParams({ payment_intent: one.intent.id }));
    ok(await bench.shop.operator.post(`/admin/orders/${one.orderId}/refund`), 200);
    expect((await bench.orderOf(one)).refund).toBe('due');
    Object.assign(byHand, { status: 'succeeded' });
    ok(await bench.send(refundUpdated(byHand)), 200);
    expect((await bench.orderOf(one)).refund).toBe('done');
  });
});
