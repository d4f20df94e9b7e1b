import { createHmac, randomUUID } from 'node:crypto';
import type { Answer, Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { expectRefusal } from './refusals.js';

const SECRET = 'the secret of this shop';
const PATH = '/payments/sandbox/webhook';

interface Payment {
  shopper: Api;
  sale: TestSale;
  orderId: string;
  paymentId: string;
}

describe('the webhook of a payment provider', () => {
  let shop: Shop;
  beforeAll(async () => {
    // Nothing listens there, so the sandbox's own calls never arrive and the tests play the provider.
    shop = await Shop.open({ PAYMENT_SECRET: SECRET, HOST: '127.0.0.2' });
  });
  afterAll(() => shop.close());

  const paying = async (): Promise<Payment> => {
    const [sale, shopper] = [await shop.sale({ items: [{ stock: 2, priceMinor: 500 }] }), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    const { payment } = ok(await shopper.post(`/orders/${orderId}/pay`), 200).body;
    expect(payment.status).toBe('pending');
    return { shopper, sale, orderId, paymentId: payment.id };
  };
  const event = ({ paymentId }: Pick<Payment, 'paymentId'>, change: object = {}): string =>
    JSON.stringify({ type: 'payment.succeeded', paymentId, reference: `sandbox_${paymentId}`, amountMinor: 500, currency: 'EUR', ...change });
  const signature = (body: string, { secret = SECRET, ageSeconds = 0 } = {}): string => {
    const seconds = Math.floor(Date.now() / 1000) - ageSeconds;
    return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
  };
  const send = (body: string, header: string | undefined = signature(body), path = PATH): Promise<Answer> =>
    shop.api.post(path, body, header === '' ? {} : { 'sandbox-signature': header });
  const orderOf = async ({ shopper, orderId }: Payment) => ok(await shopper.get(`/orders/${orderId}`), 200).body;
  const paymentsOf = async ({ orderId }: Payment): Promise<string[]> =>
    // The scheduler sends back what is due, at any moment.
    (await shop.database.query('SELECT status FROM payments WHERE order_id = ? ORDER BY id', [orderId])).map(({ status }: { status: string }) => (status === 'refunded' ? 'refund_due' : status));

  it('pays the order, and once only, however often it is called', async () => {
    const payment = await paying();
    for (let repeat = 0; repeat < 3; repeat += 1) expect(ok(await send(event(payment)), 200).body).toEqual({ received: true });
    const order = await orderOf(payment);
    expect(order).toMatchObject({ status: 'paid', paidAt: expect.any(String) });
    await Promise.all([1, 2, 3].map(async () => ok(await send(event(payment)), 200)));
    ok(await send(event(payment, { type: 'payment.failed' })), 200);
    expect(await orderOf(payment)).toEqual(order);
    expect(await paymentsOf(payment)).toEqual(['succeeded']);
    await shop.ticketWhen(payment.shopper, payment.sale, ['paid']);
  });

  it.each([['currency', 'EUROEUROE'], ['currency', ''], ['reference', 'r'.repeat(65)], ['paymentId', 'p'.repeat(65)], ['id', 'e'.repeat(65)], ['amountMinor', 1e300]])(
    'that is signed and whose %s is nothing any provider says (%s) is refused', async (field, value) => {
      const body = event(await paying(), { [field]: value });
      await expectRefusal(shop, () => send(body), 400, 'INVALID_SIGNATURE');
    },
  );

  it('is not believed without a signature that fits body, secret and time', async () => {
    const payment = await paying();
    const body = event(payment);
    const good = signature(body);
    const bad = [
      '', 'x', 't=1', good.replace('v1', 'v0'), good.replace(/t=\d+/, 't=1'), good.replace(/.$/, good.endsWith('0') ? '1' : '0'), good.toUpperCase(), `${good},${good}`, `${good} `.repeat(2),
      signature(body, { secret: 'another secret' }), signature(body, { secret: 'local-payment-secret' }), signature(body, { ageSeconds: 400 }), signature(body, { ageSeconds: -400 }),
      signature(`${body} `), signature(event(payment, { amountMinor: 1 })),
    ];
    for (const header of bad) await expectRefusal(shop, () => send(body, header), 400, 'INVALID_SIGNATURE');
    await expectRefusal(shop, () => send(event(payment, { amountMinor: 1 }), good), 400, 'INVALID_SIGNATURE');
    await expectRefusal(shop, () => payment.shopper.post(PATH, body), 400, 'INVALID_SIGNATURE');
    await expectRefusal(shop, () => shop.operator.post(PATH, body), 400, 'INVALID_SIGNATURE');
    ok(await send(body, signature(body, { ageSeconds: 200 })), 200);
    expect((await orderOf(payment)).status).toBe('paid');
  });

  it('is not taken when it is signed but no event', async () => {
    const payment = await paying();
    const bodies = ['{}', '[]', '5', '{"type":"payment.succeeded"}', event(payment, { type: 'refund' }), event(payment, { amountMinor: '500' }), event(payment, { amountMinor: 1.5 }), event(payment, { paymentId: 5 }), event(payment, { currency: null })];
    for (const body of bodies) await expectRefusal(shop, () => send(body), 400, 'INVALID_SIGNATURE');
    await expectRefusal(shop, () => send('{"type":'), 400, 'VALIDATION_FAILED');
    expect((await orderOf(payment)).status).toBe('awaiting_payment');
  });

  it('of a provider that is not there is not found', async () => {
    const body = event({ paymentId: randomUUID() });
    for (const provider of ['stripe', 'SANDBOX', '__proto__', '%00']) await expectRefusal(shop, () => send(body, undefined, `/payments/${provider}/webhook`), 404, 'NOT_FOUND');
  });

  it('about a payment we do not have is taken and changes nothing', async () => {
    const payment = await paying();
    for (const paymentId of [randomUUID(), 'x', payment.orderId]) expect(ok(await send(event({ paymentId })), 200).body).toEqual({ received: true });
    expect([(await orderOf(payment)).status, await paymentsOf(payment)]).toEqual(['awaiting_payment', ['pending']]);
  });

  it.each([{ amountMinor: 499 }, { amountMinor: 501 }, { amountMinor: 0 }, { currency: 'USD' }])('with %j does not pay the order; the money is due back', async (change) => {
    const payment = await paying();
    ok(await send(event(payment, change)), 200);
    expect([(await orderOf(payment)).status, await paymentsOf(payment)]).toEqual(['awaiting_payment', ['refund_due']]);
    ok(await send(event(payment)), 200);
    expect([(await orderOf(payment)).status, await paymentsOf(payment)]).toEqual(['awaiting_payment', ['refund_due']]);
    const again = ok(await payment.shopper.post(`/orders/${payment.orderId}/pay`), 200).body.payment;
    ok(await send(event({ paymentId: again.id })), 200);
    expect([(await orderOf(payment)).status, await paymentsOf(payment)]).toEqual(['paid', ['refund_due', 'succeeded']]);
  });

  it('may say that it failed, and the shopper pays again', async () => {
    const payment = await paying();
    for (let repeat = 0; repeat < 2; repeat += 1) ok(await send(event(payment, { type: 'payment.failed' })), 200);
    expect([(await orderOf(payment)).status, await paymentsOf(payment)]).toEqual(['awaiting_payment', ['failed']]);
    const again = ok(await payment.shopper.post(`/orders/${payment.orderId}/pay`), 200).body.payment;
    expect(again).toMatchObject({ status: 'pending', provider: 'sandbox' });
    expect(again.id).not.toBe(payment.paymentId);
    ok(await send(event({ paymentId: again.id })), 200);
    expect([(await orderOf(payment)).status, await paymentsOf(payment)]).toEqual(['paid', ['failed', 'succeeded']]);
  });
});
