import { randomUUID } from 'node:crypto';
import type { Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { expectRefusal } from './refusals.js';

describe('orders', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());

  const bought = async (plan: Parameters<Shop['sale']>[0] = {}): Promise<{ shopper: Api; sale: TestSale; orderId: string }> => {
    const [sale, shopper] = [await shop.sale(plan), await shop.shopper()];
    return { shopper, sale, orderId: (await shop.buy(shopper, sale)).orderId };
  };
  const show = async (shopper: Api, orderId: string) => ok(await shopper.get(`/orders/${orderId}`), 200).body;
  /** Once the ticket shows it, nothing of the payment is on its way any more. */
  const whenPaid = async (shopper: Api, sale: TestSale, orderId: string) => {
    await shop.ticketWhen(shopper, sale, ['paid']);
    return show(shopper, orderId);
  };

  it('show what was bought at the price of the sale', async () => {
    const sale = await shop.sale({ items: [{ stock: 5, limitPerUser: 2, priceMinor: 199 }, { stock: 5, priceMinor: 0 }] });
    const shopper = await shop.shopper();
    const ticket = await shop.buy(shopper, sale, sale.itemIds.map((itemId, i) => ({ itemId, quantity: 2 - i })));
    const { items } = ok(await shop.api.get(`/sales/${sale.id}`), 200).body;
    const order = await show(shopper, ticket.orderId);
    expect(order).toEqual({
      id: ticket.orderId, saleId: sale.id, ticketId: ticket.ticketId, status: 'awaiting_payment', amountMinor: 398, currency: 'EUR',
      createdAt: expect.any(String), payBefore: ticket.payBefore,
      lines: [
        { itemId: sale.itemIds[0], goodsId: items[0].goodsId, title: 'Test goods', quantity: 2, unitPriceMinor: 199 },
        { itemId: sale.itemIds[1], goodsId: items[1].goodsId, title: 'Test goods', quantity: 1, unitPriceMinor: 0 },
      ],
    });
    ok(await shop.operator.patch(`/admin/goods/${items[0].goodsId}`, { title: 'Renamed', listPriceMinor: 1 }), 200);
    expect(await show(shopper, ticket.orderId)).toEqual(order);
  });

  it('are paid through the sandbox within a second; a repeat pays nothing twice', async () => {
    const { shopper, sale, orderId } = await bought();
    const paying = ok(await shopper.post(`/orders/${orderId}/pay`, { provider: 'sandbox' }), 200).body;
    expect(paying).toMatchObject({ id: orderId, status: expect.stringMatching(/awaiting_payment|paid/), payment: { id: expect.any(String), provider: 'sandbox' } });
    const again = await Promise.all([1, 2, 3].map(() => shopper.post(`/orders/${orderId}/pay`, {})));
    for (const answer of again) expect(ok(answer, 200).body.payment.id).toBe(paying.payment.id);
    const order = await whenPaid(shopper, sale, orderId);
    expect(Date.parse(order.paidAt) - Date.parse(order.createdAt)).toBeLessThan(3000);
    expect(ok(await shopper.post(`/orders/${orderId}/pay`), 200).body).toEqual({ ...order, payment: { ...paying.payment, status: 'succeeded' } });
    expect(await shop.database.query('SELECT status FROM payments WHERE order_id = ?', [orderId])).toEqual([{ status: 'succeeded' }]);
  });

  it('are not paid by a request that is not well-formed', async () => {
    const { shopper, orderId } = await bought();
    const bodies = [{ provider: 'paypal' }, { provider: '' }, { provider: 5 }, { provider: ['sandbox'] }, { provider: 'SANDBOX' }, { amountMinor: 1 }, [], [{}], '"sandbox"', '{'];
    for (const body of bodies) await expectRefusal(shop, () => shopper.post(`/orders/${orderId}/pay`, body), 400, 'VALIDATION_FAILED');
    const { body } = await expectRefusal(shop, () => shopper.post(`/orders/${orderId}/pay`, { provider: 'paypal' }), 400, 'VALIDATION_FAILED');
    expect(body.detail).toBe('provider must be one of: sandbox');
  });

  it('are paid or cancelled without a body, and cancelled with no field at all', async () => {
    const { shopper, orderId } = await bought();
    await expectRefusal(shop, () => shopper.post(`/orders/${orderId}/cancel`, { reason: 'too dear' }), 400, 'VALIDATION_FAILED');
    ok(await shopper.call('POST', `/orders/${orderId}/cancel`), 200);
  });

  it('give their units back once when they are cancelled, however often', async () => {
    const { shopper, sale, orderId } = await bought({ items: [{ stock: 2 }] });
    const answers = await Promise.all([1, 2, 3, 4].map(() => shopper.post(`/orders/${orderId}/cancel`)));
    for (const answer of answers) expect(ok(answer, 200).body).toMatchObject({ id: orderId, status: 'cancelled' });
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 2, held: 0, returning: 0 }] });
    const { body } = await expectRefusal(shop, () => shopper.post(`/orders/${orderId}/pay`), 409, 'ORDER_NOT_PAYABLE');
    expect(body.detail).toContain('cancelled');
    const order = await show(shopper, orderId);
    expect([order.paidAt, order.refund, order.refundedAt]).toEqual([undefined, undefined, undefined]);
    expect(Date.parse(order.closedAt)).toBeGreaterThanOrEqual(Date.parse(order.createdAt));
  });

  it('can not be cancelled once they are paid', async () => {
    const { shopper, sale, orderId } = await bought();
    ok(await shopper.post(`/orders/${orderId}/pay`), 200);
    await whenPaid(shopper, sale, orderId);
    const { body } = await expectRefusal(shop, () => shopper.post(`/orders/${orderId}/cancel`), 409, 'ORDER_NOT_CANCELLABLE');
    expect(body.orderStatus).toBe('paid');
  });

  it('end one way only when they are paid and cancelled at the same time', async () => {
    const { shopper, sale, orderId } = await bought({ items: [{ stock: 1 }] });
    const [cancelled] = await Promise.all([shopper.post(`/orders/${orderId}/cancel`), shopper.post(`/orders/${orderId}/pay`)]);
    const order = await until('the order to close', async () => {
      const now = await show(shopper, orderId);
      return now.status !== 'awaiting_payment' && now;
    });
    expect(order.status).toBe(cancelled.status === 200 ? 'cancelled' : 'paid');
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: order.status === 'paid' ? 1 : 0 }] });
  });

  it('expire when their time is over, and are then neither paid nor cancelled', async () => {
    const { shopper, sale, orderId } = await bought({ items: [{ stock: 1 }], paymentTimeoutSeconds: 1 });
    await shop.ticketWhen(shopper, sale, ['expired']);
    const { status, closedAt, payBefore } = await show(shopper, orderId);
    expect([status, Date.parse(closedAt) >= Date.parse(payBefore)]).toEqual(['expired', true]);
    await expectRefusal(shop, () => shopper.post(`/orders/${orderId}/pay`), 409, 'ORDER_NOT_PAYABLE');
    const { body } = await expectRefusal(shop, () => shopper.post(`/orders/${orderId}/cancel`), 409, 'ORDER_NOT_CANCELLABLE');
    expect(body.orderStatus).toBe('expired');
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 1 }] });
  });

  it("of someone else read like orders that are not there", async () => {
    const { shopper, orderId } = await bought();
    const stranger = await shop.shopper();
    const unknown = [randomUUID(), 'x', '1', orderId.toUpperCase(), `${orderId}x`, '%00', '..%2f', '9'.repeat(90)];
    const details = new Set<string>();
    for (const id of [orderId, ...unknown]) {
      for (const call of [() => stranger.get(`/orders/${id}`), () => stranger.post(`/orders/${id}/pay`), () => stranger.post(`/orders/${id}/cancel`)]) {
        details.add((await expectRefusal(shop, call, 404, 'ORDER_NOT_FOUND')).body.detail);
      }
    }
    expect(details.size).toBe(1);
    expect(ok(await stranger.get('/orders'), 200).body).toEqual({ orders: [] });
    expect(ok(await shopper.get('/orders'), 200).body.orders).toHaveLength(1);
    await expectRefusal(shop, () => shop.operator.get(`/orders/${orderId}`), 404, 'ORDER_NOT_FOUND');
  });

  it('are listed newest first, twenty a page, none twice and none left out, also while new ones come', async () => {
    const [sale, shopper] = [await shop.sale({ items: [{ stock: 50, limitPerUser: 50 }] }), await shop.shopper()];
    const made: string[] = [];
    const buyAndCancel = async (): Promise<string> => {
      const { orderId } = await shop.buy(shopper, sale);
      ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
      return orderId;
    };
    while (made.length < 20) made.unshift(await buyAndCancel());
    const ids = (page: { orders: { id: string }[] }): string[] => page.orders.map(({ id }) => id);
    const full = ok(await shopper.get('/orders'), 200).body;
    expect([ids(full), full.nextCursor]).toEqual([made, undefined]);
    made.unshift(await buyAndCancel());
    const first = ok(await shopper.get('/orders'), 200).body;
    expect([ids(first), first.nextCursor]).toEqual([made.slice(0, 20), expect.any(String)]);
    expect(first.orders[0]).toEqual(await show(shopper, made[0] ?? ''));
    await buyAndCancel();
    const second = ok(await shopper.get(`/orders?cursor=${first.nextCursor}`), 200).body;
    expect([ids(second), second.nextCursor]).toEqual([made.slice(20), undefined]);
    expect(ok(await (await shop.shopper()).get(`/orders?cursor=${first.nextCursor}`), 200).body).toEqual({ orders: [] });
  });

  it('are listed by nothing but a cursor that a page gave', async () => {
    const shopper = await shop.shopper();
    for (const query of ['cursor=x', 'cursor=bzE6eA', 'cursor=%00', `cursor=${'a'.repeat(101)}`, 'cursor=x&cursor=y', 'userId=1', 'limit=100']) {
      await expectRefusal(shop, () => shopper.get(`/orders?${query}`), 400, 'VALIDATION_FAILED');
    }
  });

  it('reckon the largest basket exactly', async () => {
    const sale = await shop.sale({ items: Array.from({ length: 10 }, () => ({ stock: 1000, limitPerUser: 1000, priceMinor: 9_999_999_999 })) });
    const shopper = await shop.shopper();
    const ticket = await shop.buy(shopper, sale, sale.itemIds.map((itemId) => ({ itemId, quantity: 1000 })));
    expect([ticket.amountMinor, (await show(shopper, ticket.orderId)).amountMinor]).toEqual([99_999_999_990_000, 99_999_999_990_000]);
  });
});
