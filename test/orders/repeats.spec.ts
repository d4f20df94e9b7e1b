import { OrderRelay } from '../../src/order/order-relay.js';
import { Crowd } from '../harness/crowd.js';
import { ordersPerTicket } from '../harness/claims.js';
import { inParallel, tally } from '../harness/parallel.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';

/** What is sent, clicked or relayed again counts once. */
describe('repeats', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  const times = (count: number): Iterable<number> => Array(count).keys();

  it.each(['queue', 'instant'] as const)('200 joins of one shopper at a time are one ticket, in mode %s', async (mode) => {
    const sale = await shop.sale({ mode, items: [{ stock: 20, limitPerUser: 5 }] });
    const [{ token } = { token: '' }] = await shop.tokens(1);
    const crowd = new Crowd(shop.api.base);
    const answers = await inParallel(times(200), 200, () => crowd.join(token, sale)).finally(() => crowd.close());
    expect(tally(answers.map(({ status }) => status))).toEqual({ 202: 1, 409: 199 });
    const joined = JSON.parse(answers.find(({ status }) => status === 202)?.text ?? '{}');
    const shopper = shop.api.as(token);
    const ticket = await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    expect(ticket.ticketId).toBe(joined.ticketId);
    expect((await shop.join(shopper, sale)).body.code).toBe('UNPAID_ORDER');
    expect(await ordersPerTicket(shop, sale)).toEqual([1]);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1, inList: 19 }] });
  });

  it('20 clicks on pay at a time are one payment', async () => {
    const sale = await shop.sale();
    const shopper = await shop.shopper();
    const { orderId } = await shop.buy(shopper, sale);
    const answers = await inParallel(times(20), 20, async () => ok(await shopper.post(`/orders/${orderId}/pay`), 200));
    expect(new Set(answers.map(({ body }) => body.payment.id)).size).toBe(1);
    await shop.ticketWhen(shopper, sale, ['paid']);
    ok(await shopper.post(`/orders/${orderId}/pay`), 200);
    expect(await shop.database.query('SELECT status FROM payments WHERE order_id = ?', [orderId])).toEqual([{ status: 'succeeded' }]);
    expect((await shopper.post(`/orders/${orderId}/cancel`)).body.code).toBe('ORDER_NOT_CANCELLABLE');
  });

  it('20 clicks on cancel at a time give one unit back, and the shopper can join again at once', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    const shopper = await shop.shopper();
    for (let round = 0; round < 5; round += 1) {
      const { orderId } = await shop.buy(shopper, sale);
      await inParallel(times(20), 20, async () => ok(await shopper.post(`/orders/${orderId}/cancel`), 200));
      expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 1, held: 0, returning: 0 }] });
      expect((await shopper.get(`/sales/${sale.id}/ticket`)).body).toMatchObject({ status: 'cancelled', orderId });
    }
    await shop.buy(shopper, sale);
  });

  it('a unit that is relayed again after its mark was lost is back once, and its shopper is told nothing old', async () => {
    const sale = await shop.sale({ items: [{ stock: 3 }] });
    const [first, second] = await shop.shoppers(2);
    if (!first || !second) throw new Error('no shoppers');
    const { orderId } = await shop.buy(first, sale);
    ok(await first.post(`/orders/${orderId}/cancel`), 200);
    await relayAgain(shop, sale);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 3, held: 0, returning: 0 }] });

    await shop.buy(second, sale);
    const again = await shop.buy(first, sale);
    await relayAgain(shop, sale);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 1, held: 2, returning: 0 }] });
    expect((await first.get(`/sales/${sale.id}/ticket`)).body).toMatchObject({ status: 'awaiting_payment', ticketId: again.ticketId });
    expect((await shop.join(first, sale)).body.code).toBe('UNPAID_ORDER');
  });
});

/** Loses the marks of what was relayed, as a database does whose commit never came, and lets it be relayed anew. */
async function relayAgain(shop: Shop, sale: TestSale): Promise<void> {
  for (const table of ['token_returns', 'order_events']) await shop.database.query(`UPDATE ${table} SET relayed_at = NULL WHERE sale_id = ?`, [sale.id]);
  await shop.get(OrderRelay).relayPending();
  const [left] = await shop.database.query('SELECT COUNT(*) AS pending FROM token_returns WHERE relayed_at IS NULL AND sale_id = ?', [sale.id]);
  expect(Number(left.pending)).toBe(0);
}
