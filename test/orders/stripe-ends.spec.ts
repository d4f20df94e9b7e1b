import { confirmPayment } from '../harness/sandbox.js';
import { ok } from '../harness/shop.js';
import { StripeBench } from '../harness/stripe-bench.js';
import { chargeOf, intentSucceeded, refundUpdated, stripeEvent } from '../harness/stripe-events.js';
import { until } from '../harness/until.js';
import { PaymentVoiding } from '../../src/order/payment/payment-voiding.js';

const CREATE = /^POST \/v1\/payment_intents$/;
const CANCEL = /\/cancel$/;

/** Stripe is a stand-in that the real library talks to; its webhooks are sent by the tests, at the moment they want. The sandbox's never arrive. */
describe('an order with an intent at Stripe', () => {
  let bench: StripeBench;
  beforeAll(async () => {
    bench = await StripeBench.open();
  });
  afterEach(() => bench.calm());
  afterAll(() => bench.close());

  describe('that closes', () => {
    it('takes its open intent along, by cancel and by expiry', async () => {
      const one = await bench.paying();
      ok(await one.shopper.post(`/orders/${one.orderId}/cancel`), 200);
      expect([one.intent.status, await bench.isToBeTold(one.paymentId)]).toEqual(['canceled', false]);
      const other = await bench.paying({ paymentTimeoutSeconds: 2 });
      await until('the intent to be cancelled', () => other.intent.status === 'canceled');
      await until('that to be noted', async () => !(await bench.isToBeTold(other.paymentId)));
      expect((await bench.orderOf(other)).status).toBe('expired');
    });

    it('takes it along when it is paid in another way', async () => {
      const one = await bench.paying();
      const { payment, amountMinor, currency } = ok(await bench.pay(one.shopper, one.orderId, 'sandbox'), 200).body;
      ok(await confirmPayment(bench.shop.api, { id: payment.id, amountMinor, currency }), 200);
      expect([one.intent.status, await bench.isToBeTold(one.paymentId)]).toEqual(['canceled', false]);
      expect(await bench.paymentsOf(one)).toEqual(['stripe cancelled', 'sandbox succeeded']);
    });

    it('does so later when Stripe does not answer now, however long that lasts', async () => {
      const one = await bench.paying();
      bench.stripe.disturb({ on: CANCEL, how: 'fail' });
      ok(await one.shopper.post(`/orders/${one.orderId}/cancel`), 200);
      expect([one.intent.status, await bench.isToBeTold(one.paymentId)]).toEqual(['requires_payment_method', true]);
      await until('a second try', async () => (await bench.shop.database.query('SELECT void_tries FROM payments WHERE id = ?', [one.paymentId]))[0].void_tries > 0, 20_000);
      expect(await bench.isToBeTold(one.paymentId)).toBe(true);
      bench.stripe.calm();
      await until('the intent to be cancelled', () => one.intent.status === 'canceled', 30_000);
      await until('that to be noted', async () => !(await bench.isToBeTold(one.paymentId)));
    }, 90_000);

    it('does so later when its process died right after the commit', async () => {
      const one = await bench.paying();
      await bench.shop.database.transaction((manager) => bench.shop.get(PaymentVoiding).voidPending(manager, [one.orderId], Date.now()));
      expect([one.intent.status, await bench.isToBeTold(one.paymentId)]).toEqual(['requires_payment_method', true]);
      await until('the intent to be cancelled', () => one.intent.status === 'canceled', 30_000);
      await until('that to be noted', async () => !(await bench.isToBeTold(one.paymentId)));
    }, 60_000);

    it('says so again when the answer was lost', async () => {
      const one = await bench.paying();
      bench.stripe.disturb({ on: CANCEL, how: 'lose' });
      ok(await one.shopper.post(`/orders/${one.orderId}/cancel`), 200);
      expect([one.intent.status, await bench.isToBeTold(one.paymentId)]).toEqual(['canceled', true]);
      bench.stripe.calm();
      await until('it to be told', async () => !(await bench.isToBeTold(one.paymentId)), 30_000);
    });

    it('finds the intent whose making was never answered', async () => {
      const { shopper, orderId } = await bench.buying();
      bench.stripe.disturb({ on: CREATE, how: 'lose' });
      expect((await bench.pay(shopper, orderId)).status).toBe(503);
      bench.stripe.calm();
      const [{ id }] = await bench.shop.database.query('SELECT id FROM payments WHERE order_id = ? AND provider_ref IS NULL', [orderId]);
      ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
      expect(bench.intentOf(id).status).toBe('canceled');
    });

    it('buys its units again when the money came first after all, and gives it back when they are gone', async () => {
      const one = await bench.paying({ stock: 1 });
      // Paid at Stripe, unknown here: the cancel comes too late there, which is no error.
      bench.stripe.books.pay(one.intent.id);
      ok(await one.shopper.post(`/orders/${one.orderId}/cancel`), 200);
      expect(await bench.isToBeTold(one.paymentId)).toBe(false);
      ok(await bench.send(intentSucceeded(one.intent)), 200);
      expect((await bench.orderOf(one)).status).toBe('paid');

      const late = await bench.paying({ stock: 1 });
      bench.stripe.books.pay(late.intent.id);
      ok(await late.shopper.post(`/orders/${late.orderId}/cancel`), 200);
      await bench.shop.buy(await bench.shop.shopper(), late.sale);
      ok(await bench.send(intentSucceeded(late.intent)), 200);
      await until('the money to be back', async () => (await bench.orderOf(late)).refund === 'done');
      expect((await bench.orderOf(late)).status).toBe('cancelled');
      expect(bench.stripe.books.refundsOf(late.intent.id)).toHaveLength(1);
    });
  });

  describe('whose money goes back', () => {
    it('was paid by two providers: the second payment is refunded, and it stays paid', async () => {
      const one = await bench.paying();
      const { payment, amountMinor, currency } = ok(await bench.pay(one.shopper, one.orderId, 'sandbox'), 200).body;
      bench.stripe.books.pay(one.intent.id);
      ok(await confirmPayment(bench.shop.api, { id: payment.id, amountMinor, currency }), 200);
      ok(await bench.send(intentSucceeded(one.intent)), 200);
      await until('the second payment to be back', async () => (await bench.orderOf(one)).refund === 'done');
      expect((await bench.orderOf(one)).status).toBe('paid');
      expect(await bench.paymentsOf(one)).toEqual(['stripe refunded', 'sandbox succeeded']);
      expect(bench.stripe.books.refundsOf(one.intent.id)).toHaveLength(1);
    });

    it('is refunded once, also when the webhook comes before the answer to our call', async () => {
      const one = await bench.paying();
      await bench.succeed(one);
      bench.stripe.disturb({ on: /^POST \/v1\/refunds$/, how: 'slow', ms: 1000 });
      const before = bench.stripe.calls.length;
      const refunding = bench.shop.operator.post(`/admin/orders/${one.orderId}/refund`);
      await until('the refund to be asked for', () => bench.stripe.calls.slice(before).includes('POST /v1/refunds'));
      ok(await bench.send(stripeEvent('charge.refunded', chargeOf(one.intent, 100))), 200);
      expect(await bench.orderOf(one)).toMatchObject({ status: 'refunded', refund: 'done' });
      ok(await refunding, 200);
      // The scheduler may have been quicker than the operator's call to ask for it.
      const refund = await until('the refund', () => bench.stripe.books.refundsOf(one.intent.id)[0]);
      ok(await bench.send(refundUpdated(refund)), 200);
      expect(bench.stripe.books.refundsOf(one.intent.id)).toHaveLength(1);
      expect(await bench.paymentsOf(one)).toEqual(['stripe refunded']);
      const [{ n }] = await bench.shop.database.query(`SELECT COUNT(*) AS n FROM order_events WHERE order_id = ? AND to_status = 'refunded'`, [one.orderId]);
      expect(Number(n)).toBe(1);
    });

    it('waits while the refund is under way, and is done when Stripe says so', async () => {
      bench.stripe.books.refundsAre = 'pending';
      const one = await bench.paying();
      await bench.succeed(one);
      ok(await bench.shop.operator.post(`/admin/orders/${one.orderId}/refund`), 200);
      // The scheduler may have been quicker than the operator's call to ask for it.
      const refund = await until('the refund', () => bench.stripe.books.refundsOf(one.intent.id)[0]);
      ok(await bench.send(stripeEvent('refund.created', refund)), 200);
      expect(await bench.orderOf(one)).toMatchObject({ status: 'refunded', refund: 'due' });
      refund.status = 'succeeded';
      ok(await bench.send(refundUpdated(refund)), 200);
      expect((await bench.orderOf(one)).refund).toBe('done');
    });

    it('is found by a later call, too, when no webhook tells that the refund is through', async () => {
      bench.stripe.books.refundsAre = 'pending';
      const one = await bench.paying();
      await bench.succeed(one);
      ok(await bench.shop.operator.post(`/admin/orders/${one.orderId}/refund`), 200);
      expect((await bench.orderOf(one)).refund).toBe('due');
      for (const refund of bench.stripe.books.refundsOf(one.intent.id)) refund.status = 'succeeded';
      await until('the refund to be known', async () => (await bench.orderOf(one)).refund === 'done', 30_000);
      expect(bench.stripe.books.refundsOf(one.intent.id)).toHaveLength(1);
    });

    it('was sent back in the dashboard: in full it is refunded here, in part it stays for a person to look at', async () => {
      const [whole, part] = [await bench.paying(), await bench.paying()];
      await bench.succeed(whole);
      await bench.succeed(part);
      ok(await bench.send(stripeEvent('charge.refunded', chargeOf(whole.intent, 100))), 200);
      expect(await bench.orderOf(whole)).toMatchObject({ status: 'refunded', refund: 'done' });
      ok(await bench.send(stripeEvent('charge.refunded', chargeOf(part.intent, 40))), 200);
      ok(await bench.send(stripeEvent('refund.updated', { id: 're_part', object: 'refund', status: 'succeeded', amount: 40, currency: 'eur', payment_intent: part.intent.id })), 200);
      expect((await bench.orderOf(part)).status).toBe('paid');
    });

    it('was sent back in the dashboard while we were about to: Stripe says so, and it counts', async () => {
      const one = await bench.paying();
      await bench.succeed(one);
      bench.stripe.books.createRefund(new URLSearchParams({ payment_intent: one.intent.id }));
      ok(await bench.shop.operator.post(`/admin/orders/${one.orderId}/refund`), 200);
      await until('that to be known', async () => (await bench.orderOf(one)).refund === 'done');
      expect((await bench.orderOf(one)).status).toBe('refunded');
    });
  });
});
