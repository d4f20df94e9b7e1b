import { confirmPayment, sandboxEvent } from '../harness/sandbox.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { ApiDocument } from './api-document.js';
import { expectProblem } from './refusals.js';

/** The sandbox's own webhooks never arrive here: the test plays the provider. */
describe('what operators read of an order', () => {
  let shop: Shop;
  let document: ApiDocument;
  beforeAll(async () => {
    shop = await Shop.open({ HOST: '127.0.0.2' });
    document = await ApiDocument.of(shop);
  });
  afterAll(() => shop.close());

  const show = async (orderId: string) => {
    const { body } = ok(await shop.operator.get(`/admin/orders/${orderId}`), 200);
    expect(document.faultsOf('GET', '/admin/orders/{orderId}', 200, body)).toEqual([]);
    return body;
  };

  it('tells its whole story: whose it is, its payments with what was said of them, and each step with its cause', async () => {
    const [sale, shopper, { body: operator }] = [await shop.sale(), await shop.shopper(), await shop.operator.get('/auth/me')];
    const { body: me } = await shopper.get('/auth/me');
    const { orderId } = await shop.buy(shopper, sale);
    const begun = await show(orderId);
    expect(begun).toMatchObject({ id: orderId, status: 'awaiting_payment', user: { id: me.id, username: me.username }, payments: [] });
    expect(begun.history).toEqual([{ at: begun.createdAt, to: 'awaiting_payment', cause: 'drain' }]);

    const { payment, amountMinor, currency } = ok(await shopper.post(`/orders/${orderId}/pay`), 200).body;
    const paid = { id: payment.id, amountMinor, currency };
    ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    expect((await show(orderId)).closedAt).toMatch(/Z$/);
    ok(await confirmPayment(shop.api, paid), 200);
    const late = await show(orderId);
    expect([late.status, late.closedAt, late.refundedAt]).toEqual(['paid', undefined, undefined]);
    ok(await shop.api.post('/payments/sandbox/webhook', ...sandboxEvent('refunded', { ...paid, amountMinor: 1 }, 'in-part')), 200);
    ok(await shop.operator.post(`/admin/orders/${orderId}/refund`), 200);

    const order = await until('the money to be back', async () => {
      const now = await show(orderId);
      return now.refund === 'done' && now;
    });
    expect(order.history.map(({ from, to, cause }: { from?: string; to: string; cause: string }) => [from, to, cause])).toEqual([
      [undefined, 'awaiting_payment', 'drain'],
      ['awaiting_payment', 'cancelled', 'shopper'],
      ['cancelled', 'paid', `payment ${payment.id}`],
      ['paid', 'refunded', `operator ${operator.id}`],
    ]);
    expect(order.payments).toEqual([
      {
        id: payment.id, provider: 'sandbox', providerRef: `sandbox_${payment.id}`, status: 'refunded', amountMinor, currency, refundTries: 1,
        createdAt: expect.any(String), updatedAt: order.refundedAt,
        events: [
          { eventId: `succeeded:${payment.id}`, result: 'succeeded', amountMinor, currency, receivedAt: expect.any(String) },
          { eventId: 'in-part', result: 'refunded', amountMinor: 1, currency, receivedAt: expect.any(String) },
        ],
      },
    ]);
    expect(order.closedAt).toBe(order.history.at(-1).at);
    expect(ok(await shopper.get(`/orders/${orderId}`), 200).body).toMatchObject({ status: 'refunded', closedAt: order.closedAt, refund: 'done', refundedAt: order.refundedAt });
  });

  it('is the same in a search', async () => {
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    const { body } = ok(await shop.operator.get(`/admin/orders?saleId=${sale.id}`), 200);
    expect(document.faultsOf('GET', '/admin/orders', 200, body)).toEqual([]);
    const { payments, history, ...order } = await show(orderId);
    expect([body, payments, history.length]).toEqual([{ orders: [order] }, [], 1]);
  });

  it('is not there for an unknown order, nor for shoppers, who read no history of their own orders either', async () => {
    for (const id of ['x', '1', '01900000-0000-7000-8000-000000000000']) expectProblem(await shop.operator.get(`/admin/orders/${id}`), 404, 'ORDER_NOT_FOUND');
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    expectProblem(await shopper.get(`/admin/orders/${orderId}`), 403, 'FORBIDDEN');
    const { body } = ok(await shopper.get(`/orders/${orderId}`), 200);
    expect([body.history, body.user, body.payments]).toEqual([undefined, undefined, undefined]);
  });
});
