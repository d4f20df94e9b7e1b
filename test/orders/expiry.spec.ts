import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EXPIRY_QUEUE } from '../../src/order/expiry.schedule.js';
import type { Api } from '../harness/api.js';
import { Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

describe('an order that nobody pays', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api', 'worker']);
    shop.bePatient();
  });
  afterAll(() => shop.close());

  const unpaid = async (): Promise<{ sale: TestSale; shopper: Api; orderId: string }> => {
    const sale = await shop.sale({ items: [{ stock: 2 }], paymentTimeoutSeconds: 1 });
    const shopper = await shop.shopper();
    return { sale, shopper, orderId: (await shop.buy(shopper, sale)).orderId };
  };

  async function expectExpired(sale: TestSale, shopper: Api, orderId: string): Promise<void> {
    expect(await shop.ticketWhen(shopper, sale, ['expired'])).toMatchObject({ orderId, reason: 'PAYMENT_TIMEOUT' });
    expect((await shopper.get(`/orders/${orderId}`)).body.status).toBe('expired');
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 2, held: 0, returning: 0 }] });
    expect((await shopper.post(`/orders/${orderId}/pay`)).body.code).toBe('ORDER_NOT_PAYABLE');
  }

  it('is expired by its job within two seconds of its deadline, and its unit can be bought again', async () => {
    const { sale, shopper, orderId } = await unpaid();
    await expectExpired(sale, shopper, orderId);
    const [order] = await shop.database.query('SELECT TIMESTAMPDIFF(MICROSECOND, pay_before, closed_at) AS late FROM orders WHERE id = ?', [orderId]);
    expect(Number(order.late)).toBeGreaterThanOrEqual(0);
    expect(Number(order.late)).toBeLessThan(2_000_000);
    await shop.buy(shopper, sale);
  });

  it('is expired by the sweep when its job is lost', async () => {
    const { sale, shopper, orderId } = await unpaid();
    const jobs = await until('the job', async () => {
      const delayed = await shop.queue(EXPIRY_QUEUE).getDelayed();
      return delayed.length > 0 && delayed;
    });
    for (const job of jobs) await job.remove();
    const overdue = (): Promise<unknown[]> => shop.database.query(`SELECT id FROM orders WHERE id = ? AND status = 'awaiting_payment' AND pay_before < UTC_TIMESTAMP(3) - INTERVAL 1 SECOND`, [orderId]);
    await until('the deadline to pass with nobody looking', async () => (await overdue()).length === 1);
    const scheduler: NestFastifyApplication = await shop.start(['scheduler']);
    await expectExpired(sale, shopper, orderId);
    await shop.stop(scheduler);
  });
});
