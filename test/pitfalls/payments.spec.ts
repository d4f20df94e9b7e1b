import { SandboxProvider } from '../../src/order/payment/sandbox/sandbox.provider.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

describe('an order that closes while its payment is open', () => {
  let shop: Shop;
  const told: string[] = [];
  beforeAll(async () => {
    shop = await Shop.open();
    // A bank that takes its time, and remembers what it is told to drop.
    Object.assign(shop.get(SandboxProvider), {
      start: () => Promise.resolve({ status: 'pending' }),
      cancel: ({ id }: { id: string }) => Promise.resolve(void told.push(id)),
    });
  });
  afterAll(() => shop.close());

  it.each(['cancelled', 'expired'])('and is %s has it cancelled at the provider, too', async (status) => {
    const sale = await shop.sale({ items: [{ stock: 1 }], paymentTimeoutSeconds: status === 'expired' ? 2 : 900 });
    const shopper = await shop.shopper();
    const { orderId } = await shop.buy(shopper, sale);
    const { payment } = ok(await shopper.post(`/orders/${orderId}/pay`), 200).body;
    expect(told).not.toContain(payment.id);
    if (status === 'cancelled') ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    await shop.ticketWhen(shopper, sale, [status]);
    await until('the provider to be told', () => told.includes(payment.id));
    expect(await shop.database.query('SELECT status FROM payments WHERE order_id = ?', [orderId])).toEqual([{ status: 'cancelled' }]);
  });
});
