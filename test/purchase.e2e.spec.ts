import { ok, Shop } from './harness/shop.js';

describe('a purchase', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());

  it.each(['queue', 'instant'] as const)('leads from the join to a paid order in mode %s', async (mode) => {
    const sale = await shop.sale({ mode, items: [{ stock: 3, priceMinor: 1290, limitPerUser: 2 }] });
    const shopper = await shop.shopper();

    const joined = ok(await shop.join(shopper, sale, [{ itemId: sale.itemIds[0] ?? '', quantity: 2 }]), 202);
    expect(joined.body).toEqual({
      ticketId: expect.any(String),
      status: mode === 'queue' ? 'queued' : 'reserved',
      position: 1,
      pollAfterMs: expect.any(Number),
    });
    expect(joined.headers.get('location')).toBe(`/api/sales/${sale.id}/ticket`);
    expect(Number(joined.headers.get('retry-after'))).toBeGreaterThan(0);

    const ticket = await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    expect(ticket).toMatchObject({ ticketId: joined.body.ticketId, orderId: expect.any(String), amountMinor: 2580, currency: 'EUR' });

    const paying = ok(await shopper.post(`/orders/${ticket.orderId}/pay`), 200);
    expect(paying.body.payment).toMatchObject({ provider: 'sandbox', status: 'pending' });
    await shop.ticketWhen(shopper, sale, ['paid']);
    const order = ok(await shopper.get(`/orders/${ticket.orderId}`), 200);
    expect(order.body).toMatchObject({ status: 'paid', amountMinor: 2580, paidAt: expect.any(String), lines: [{ quantity: 2, unitPriceMinor: 1290 }] });
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: 3, held: 2, inList: 1 }] });
  });
});
