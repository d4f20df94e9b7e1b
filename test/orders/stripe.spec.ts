import { ok } from '../harness/shop.js';
import { StripeBench } from '../harness/stripe-bench.js';
import type { Intent } from '../harness/stripe-books.js';
import { chargeOf, intentSucceeded, signedEvent, stripeEvent, STRIPE_WEBHOOK } from '../harness/stripe-events.js';
import { until } from '../harness/until.js';

const CREATE = /^POST \/v1\/payment_intents$/;

/** Stripe is a stand-in that the real library talks to; its webhooks are sent by the tests, at the moment they want. The sandbox's never arrive. */
describe('an order paid with Stripe', () => {
  let bench: StripeBench;
  beforeAll(async () => {
    bench = await StripeBench.open();
  });
  afterEach(() => bench.calm());
  afterAll(() => bench.close());

  describe('gets an intent', () => {
    it('for its amount, with what the page needs to pay it, and is paid by the webhook', async () => {
      const { shopper, orderId } = await bench.buying();
      const { payment } = ok(await bench.pay(shopper, orderId), 200).body;
      const intent = bench.intentOf(payment.id);
      expect(payment).toEqual({ id: payment.id, provider: 'stripe', status: 'pending', clientSecret: intent.client_secret });
      expect(intent).toMatchObject({ amount: 100, currency: 'eur', metadata: { paymentId: payment.id, orderId } });
      ok(await bench.send(intentSucceeded(bench.stripe.books.pay(intent.id))), 200);
      expect(await bench.orderOf({ shopper, orderId })).toMatchObject({ status: 'paid' });
      const shown = ok(await bench.pay(shopper, orderId), 200).body.payment;
      expect(shown).toEqual({ id: payment.id, provider: 'stripe', status: 'succeeded' });
    });

    it('once, however often it is asked for, also at the same moment', async () => {
      const { shopper, orderId } = await bench.buying();
      const answers = await Promise.all([1, 2, 3, 4].map(() => bench.pay(shopper, orderId)));
      const payments = answers.filter(({ status }) => status === 200).map(({ body }) => body.payment);
      payments.push(ok(await bench.pay(shopper, orderId), 200).body.payment);
      expect(new Set(payments.map(({ id, clientSecret }) => `${id} ${clientSecret}`)).size).toBe(1);
      bench.intentOf(payments[0].id);
    });

    it('once, also when the answer to its making was lost', async () => {
      const { shopper, orderId } = await bench.buying();
      bench.stripe.disturb({ on: CREATE, how: 'lose' });
      expect((await bench.pay(shopper, orderId)).body.code).toBe('UNAVAILABLE');
      bench.stripe.calm();
      const { payment } = ok(await bench.pay(shopper, orderId), 200).body;
      expect(payment.clientSecret).toBe(bench.intentOf(payment.id).client_secret);
    });

    it('whose secret is never kept: a repeat with the same key takes up the payment anew', async () => {
      const { shopper, orderId } = await bench.buying();
      const key = { 'idempotency-key': `pay-${orderId}` };
      const first = ok(await bench.pay(shopper, orderId, 'stripe', key), 200).body.payment;
      expect(first.clientSecret).toBeDefined();
      expect(ok(await bench.pay(shopper, orderId, 'stripe', key), 200).body.payment).toEqual(first);
      expect((await bench.pay(shopper, orderId, 'sandbox', key)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
      const [{ n }] = await bench.shop.database.query(`SELECT COUNT(*) AS n FROM idempotency_keys WHERE answer LIKE '%secret%'`);
      expect(Number(n)).toBe(0);
      bench.stripe.books.pay(bench.intentOf(first.id).id);
      const paid = ok(await bench.pay(shopper, orderId, 'stripe', key), 200);
      expect(paid.body).toMatchObject({ status: 'paid', payment: { status: 'succeeded' } });
      // That answer bears no secret, and is kept.
      expect((await bench.pay(shopper, orderId, 'stripe', key)).headers.get('idempotent-replayed')).toBe('true');
    });

    it('not while Stripe is slow or away: the shopper is told to try again, in time', async () => {
      const { shopper, orderId } = await bench.buying();
      bench.stripe.disturb({ on: CREATE, how: 'slow', ms: 20_000 });
      const before = Date.now();
      expect(await bench.pay(shopper, orderId)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
      expect(Date.now() - before).toBeLessThan(10_000);
      const other = await bench.buying();
      bench.stripe.disturb({ on: CREATE, how: 'fail' });
      expect(await bench.pay(other.shopper, other.orderId)).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
      bench.stripe.calm();
      expect(ok(await bench.pay(other.shopper, other.orderId), 200).body.payment.status).toBe('pending');
    });

    it('of its own after the last one was cancelled at Stripe', async () => {
      const one = await bench.paying();
      ok(await bench.send(stripeEvent('payment_intent.canceled', bench.stripe.books.cancelIntent(one.intent.id))), 200);
      const { payment } = ok(await bench.pay(one.shopper, one.orderId), 200).body;
      expect(payment.id).not.toBe(one.paymentId);
      expect(await bench.paymentsOf(one)).toEqual(['stripe failed', 'stripe pending']);
      bench.stripe.books.cancelIntent(bench.intentOf(payment.id).id);
      // The shopper finds out before the webhook does.
      expect(ok(await bench.pay(one.shopper, one.orderId), 200).body.payment).toEqual({ id: payment.id, provider: 'stripe', status: 'failed' });
    });

    it('only for an amount that Stripe has', async () => {
      const shopper = await bench.shop.shopper();
      const inCurrency = async (currency: string, priceMinor: number): Promise<string> => {
        const goods = ok(await bench.shop.operator.post('/admin/goods', { title: 'Far goods', listPriceMinor: 9999, currency }), 201).body;
        const window = { startsAt: new Date(Date.now() - 1000).toISOString(), endsAt: new Date(Date.now() + 3_600_000).toISOString() };
        const { id, items } = ok(await bench.shop.operator.post('/admin/sales', { title: 'Far', ...window, items: [{ goodsId: goods.id, priceMinor, stock: 1, limitPerUser: 1 }] }), 201).body;
        ok(await bench.shop.operator.post(`/admin/sales/${id}/publish`), 200);
        return (await bench.shop.buy(shopper, { id, itemIds: [items[0].id] })).orderId;
      };
      const dinar = await inCurrency('KWD', 5124);
      expect(await bench.pay(shopper, dinar)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ field: 'provider' }] } });
      expect(ok(await bench.pay(shopper, dinar, 'sandbox'), 200).body.payment.provider).toBe('sandbox');
      const krona = ok(await bench.pay(shopper, await inCurrency('ISK', 40)), 200).body;
      expect(bench.intentOf(krona.payment.id)).toMatchObject({ amount: 4000, currency: 'isk' });
      ok(await bench.send(intentSucceeded(bench.stripe.books.pay(bench.intentOf(krona.payment.id).id))), 200);
      expect((await bench.orderOf({ shopper, orderId: krona.id })).status).toBe('paid');
      // Stripe's own smallest amount is known only to Stripe.
      expect(ok(await bench.pay(shopper, await inCurrency('EUR', 1)), 200).body.payment).toMatchObject({ status: 'failed' });
    });
  });

  describe('is confirmed once', () => {
    it('when the shopper comes back and the webhook comes at the same moment', async () => {
      const one = await bench.paying();
      const said = intentSucceeded(bench.stripe.books.pay(one.intent.id));
      const answers = await Promise.all([bench.pay(one.shopper, one.orderId), bench.send(said), bench.pay(one.shopper, one.orderId), bench.send(said)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(answers[0]?.body).toMatchObject({ status: 'paid', payment: { status: 'succeeded' } });
      expect([await bench.timesPaid(one), await bench.paymentsOf(one)]).toEqual([1, ['stripe succeeded']]);
    });

    it('also when the webhook never comes: the shopper who calls again is enough', async () => {
      const one = await bench.paying();
      bench.stripe.books.pay(one.intent.id);
      expect(ok(await bench.pay(one.shopper, one.orderId), 200).body).toMatchObject({ status: 'paid' });
      expect(await bench.timesPaid(one)).toBe(1);
    });

    it('however often the webhook comes', async () => {
      const one = await bench.paying();
      const said = await bench.succeed(one);
      await Promise.all([1, 2, 3].map(async () => ok(await bench.send(said), 200)));
      expect(await bench.timesPaid(one)).toBe(1);
      const [{ n }] = await bench.shop.database.query('SELECT COUNT(*) AS n FROM payment_events WHERE payment_id = ?', [one.paymentId]);
      expect(Number(n)).toBe(1);
    });

    it('and not for another amount or currency: that money goes back', async () => {
      const [little, other] = [await bench.paying(), await bench.paying()];
      await bench.succeed(little, 99);
      bench.stripe.books.pay(other.intent.id);
      ok(await bench.send(intentSucceeded({ ...other.intent, currency: 'usd' })), 200);
      for (const one of [little, other]) {
        await until('the money to be back', () => bench.stripe.books.refundsOf(one.intent.id).length === 1);
        await until('that to be known', async () => (await bench.paymentsOf(one))[0] === 'stripe refunded');
        expect((await bench.orderOf(one)).status).toBe('awaiting_payment');
      }
      // The shopper who looks for it finds the same.
      const looking = await bench.paying();
      bench.stripe.books.pay(looking.intent.id, 99);
      expect(ok(await bench.pay(looking.shopper, looking.orderId), 200).body).toMatchObject({ status: 'awaiting_payment' });
      await until('the money to be back', () => bench.stripe.books.refundsOf(looking.intent.id).length === 1);
    });
  });

  describe('hears Stripe only', () => {
    it('when the signature fits body, secret and time', async () => {
      const one = await bench.paying();
      const said = intentSucceeded(bench.stripe.books.pay(one.intent.id));
      const [body, headers] = signedEvent(said, bench.stripe.webhookSecret);
      const refused = [
        await bench.send(said, 'whsec_other'), await bench.send(said, bench.stripe.webhookSecret, 301), await bench.shop.api.post(STRIPE_WEBHOOK, body),
        await bench.shop.api.post(STRIPE_WEBHOOK, body.replace('succeeded', 'Succeeded'), headers), await bench.shop.api.post(STRIPE_WEBHOOK, body, { 'stripe-signature': 'x' }), await bench.shop.api.post(STRIPE_WEBHOOK, '{}', headers),
      ];
      expect(refused.map(({ status, body: { code } }) => [status, code])).toEqual(refused.map(() => [400, 'INVALID_SIGNATURE']));
      expect((await bench.orderOf(one)).status).toBe('awaiting_payment');
      ok(await bench.send(said, bench.stripe.webhookSecret, 200), 200);
      expect((await bench.orderOf(one)).status).toBe('paid');
    });

    it('about what is ours: everything else is taken and changes nothing', async () => {
      const one = await bench.paying();
      const foreign: Intent = { ...one.intent, id: 'pi_foreign', status: 'succeeded', amount_received: 100, metadata: {} };
      const bodies = [
        stripeEvent('payment_intent.payment_failed', one.intent), stripeEvent('payment_intent.processing', one.intent), stripeEvent('customer.created', { id: 'cus_1' }),
        intentSucceeded(foreign), intentSucceeded({ ...foreign, metadata: { paymentId: 'ü' } }), intentSucceeded({ ...foreign, metadata: { paymentId: one.orderId } }),
        stripeEvent('charge.refunded', chargeOf(foreign, 100)), stripeEvent('refund.failed', { id: 're_x', payment_intent: 'pi_foreign' }),
        stripeEvent('refund.updated', { id: 're_y', status: 'succeeded', amount: 1, currency: 'eur', payment_intent: null }),
      ];
      for (const body of bodies) expect(ok(await bench.send(body), 200).body).toEqual({ received: true });
      expect([(await bench.orderOf(one)).status, await bench.paymentsOf(one)]).toEqual(['awaiting_payment', ['stripe pending']]);
      await bench.succeed(one);
      expect((await bench.orderOf(one)).status).toBe('paid');
    });
  });
});
