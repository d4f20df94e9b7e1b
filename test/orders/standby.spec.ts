import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../harness/api.js';
import { inParallel, tally } from '../harness/parallel.js';
import { random } from '../harness/random.js';
import { confirmPayment } from '../harness/sandbox.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const SHOPPERS = 120;
const UNITS = 10;

/** What the shoppers of a standby line live through, on the whole service. */
describe('standby', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({ PAYMENT_TIMEOUT_SECONDS: '900' });
    shop.bePatient();
  });
  afterAll(() => shop.close());

  const ticketOf = async (shopper: Api, sale: TestSale) => ok(await shopper.get(`/sales/${sale.id}/ticket`), 200).body;
  const standBy = async (shopper: Api, sale: TestSale): Promise<void> => {
    ok(await shop.join(shopper, sale), 202);
    await shop.ticketWhen(shopper, sale, ['standby']);
  };
  const cancel = async (shopper: Api, orderId: string): Promise<void> => void ok(await shopper.post(`/orders/${orderId}/cancel`), 200);

  it.each(['queue', 'instant'] as const)('gives a cancelled unit to the first in line, as an order with a deadline of its own, in mode %s', async (mode) => {
    const sale = await shop.sale({ items: [{ stock: 1 }], standbyLimit: 2, mode });
    const [winner, first, second, third] = (await shop.shoppers(4)) as [Api, Api, Api, Api];
    const { orderId, payBefore } = await shop.buy(winner, sale);
    await standBy(first, sale);
    await standBy(second, sale);
    expect(await ticketOf(second, sale)).toMatchObject({ status: 'standby', position: 2, pollAfterMs: expect.any(Number) });
    expect((await shop.join(first, sale)).body.code).toBe('ALREADY_QUEUED');
    expect((await shop.join(third, sale)).body.code).toBe('SOLD_OUT');
    // Deadlines are whole seconds.
    await delay(1100);
    await cancel(winner, orderId);
    const won = await shop.ticketWhen(first, sale, ['awaiting_payment']);
    expect(Date.parse(won.payBefore)).toBeGreaterThan(Date.parse(payBefore));
    expect(await ticketOf(second, sale)).toMatchObject({ status: 'standby', position: 1 });
    await standBy(winner, sale);
    expect(await ticketOf(winner, sale)).toMatchObject({ status: 'standby', position: 2 });
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 0, held: 1 }] });
    ok(await second.delete(`/sales/${sale.id}/ticket`), 204);
    expect(await ticketOf(winner, sale)).toMatchObject({ position: 1 });
  });

  it('gets units that expire, and units that the operator adds', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }], standbyLimit: 10, paymentTimeoutSeconds: 1 });
    const [winner, first, second] = (await shop.shoppers(3)) as [Api, Api, Api];
    await shop.buy(winner, sale);
    await standBy(first, sale);
    await shop.ticketWhen(first, sale, ['awaiting_payment', 'expired']);
    ok(await shop.join(second, sale), 202);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/items/${sale.itemIds[0]}/stock`, { delta: 1 }), 200);
    await shop.ticketWhen(second, sale, ['awaiting_payment', 'expired']);
  });

  it('ends as sold out with the sale', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }], standbyLimit: 10, endsInMs: 3000 });
    const [winner, first] = (await shop.shoppers(2)) as [Api, Api];
    const { orderId } = await shop.buy(winner, sale);
    await standBy(first, sale);
    expect(await shop.ticketWhen(first, sale, ['sold_out'], 15_000)).toMatchObject({ reason: 'SOLD_OUT' });
    await cancel(winner, orderId);
    expect(await ticketOf(first, sale)).toMatchObject({ status: 'sold_out' });
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 1 }] });
  });

  it.each([['', false], [', also where that was lost on its way to Redis, and the state with it', true]])('tells whoever is above a limit that the operator lowers, soon%s', async (_how, isLost) => {
    const sale = await shop.sale({ items: [{ stock: 2, limitPerUser: 2 }], standbyLimit: 10 });
    const [itemId = ''] = sale.itemIds;
    const [winner, greedy, modest] = (await shop.shoppers(3)) as [Api, Api, Api];
    const { orderId } = await shop.buy(winner, sale, [{ itemId, quantity: 2 }]);
    ok(await shop.join(greedy, sale, [{ itemId, quantity: 2 }]), 202);
    await shop.ticketWhen(greedy, sale, ['standby']);
    await standBy(modest, sale);
    if (isLost) {
      await shop.database.query('UPDATE sale_items SET limit_per_user = 1 WHERE id = ?', [itemId]);
      await shop.redis.del(`seckill:{${sale.id}:0}:standby`);
    } else ok(await shop.operator.patch(`/admin/sales/${sale.id}/items/${itemId}`, { limitPerUser: 1 }), 200);
    expect(await shop.ticketWhen(greedy, sale, ['rejected'])).toMatchObject({ reason: 'LIMIT_REACHED' });
    expect((await shop.join(greedy, sale, [{ itemId, quantity: 2 }])).body.code).toBe('LIMIT_REACHED');
    await standBy(greedy, sale);
    expect(await ticketOf(modest, sale)).toMatchObject({ status: 'standby', position: 1 });
    expect(await ticketOf(greedy, sale)).toMatchObject({ position: 2 });
    await cancel(winner, orderId);
    for (const shopper of [modest, greedy]) await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 0, held: 2 }] });
  });

  it('is kept, in its order, when the state is built anew', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }], standbyLimit: 10 });
    const [winner, first, second] = (await shop.shoppers(3)) as [Api, Api, Api];
    const { orderId } = await shop.buy(winner, sale);
    await standBy(first, sale);
    await standBy(second, sale);
    await shop.redis.del(`seckill:{${sale.id}:0}:standby`);
    await until('both to stand by again', async () => (await ticketOf(second, sale).catch(() => ({}))).position === 2 && (await ticketOf(second, sale)).status === 'standby');
    await cancel(winner, orderId);
    await shop.ticketWhen(first, sale, ['awaiting_payment']);
  });

  it('gets nothing after the sale, also when the state was built anew across its end', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }], standbyLimit: 10, endsInMs: 6000 });
    const { endsAt } = ok(await shop.operator.get(`/admin/sales/${sale.id}`), 200).body;
    const [winner, first] = (await shop.shoppers(2)) as [Api, Api];
    const { orderId } = await shop.buy(winner, sale);
    await standBy(first, sale);
    // Nobody builds it before the end has passed.
    const key = `seckill:{${sale.id}:0}:sale`;
    await shop.redis.hset(key, 'runId', 'that of a server before', 'drainId', 'somebody', 'leaseUntilMs', String(Date.parse(endsAt) + 1000));
    await until('the end', () => Date.now() > Date.parse(endsAt));
    await cancel(winner, orderId).catch(() => undefined);
    expect(await shop.ticketWhen(first, sale, ['sold_out', 'awaiting_payment'], 30_000)).toMatchObject({ status: 'sold_out', reason: 'SOLD_OUT' });
    await until('the unit to be free', async () => (await shop.proof(sale)).items[0].inList === 1);
  }, 90_000);

  it('sells every unit however pay, cancel, leave and join meet; nobody gets two, and nothing is left while somebody waits', async () => {
    const dice = random('standby races');
    const sale = await shop.sale({ items: [{ stock: UNITS }], standbyLimit: SHOPPERS });
    const shoppers = await shop.shoppers(SHOPPERS);
    await inParallel(shoppers, 40, (shopper) => shop.join(shopper, sale));
    let givenBack = 0;
    // Whatever the dice say, more units come back than there are.
    const givesBack = (): boolean => (givenBack <= UNITS || dice.next(2) === 0) && ++givenBack > 0;
    const ends = await inParallel(shoppers, SHOPPERS, async (shopper) => {
      for (;;) {
        const ticket = await shop.ticketWhen(shopper, sale, ['awaiting_payment', 'standby', 'sold_out', 'paid', 'cancelled', 'left'], 60_000);
        if (ticket.status === 'standby' && dice.next(100) === 0) {
          const left = await shopper.delete(`/sales/${sale.id}/ticket`);
          expect([204, 409]).toContain(left.status);
        } else if (ticket.status === 'awaiting_payment' && givesBack()) await cancel(shopper, ticket.orderId);
        else if (ticket.status === 'awaiting_payment') {
          const { body } = ok(await shopper.post(`/orders/${ticket.orderId}/pay`), 200);
          ok(await confirmPayment(shop.api, { ...body.payment, amountMinor: body.amountMinor, currency: body.currency }), 200);
        } else if (ticket.status !== 'standby') return ticket.status as string;
        else if ((await soldFor(shop, sale)) === UNITS) return 'standby';
        await delay(250);
      }
    });
    const counted = tally(ends);
    expect(counted.paid).toBe(UNITS);
    expect(counted.cancelled).toBeGreaterThan(UNITS);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 0, held: UNITS, claimed: 0, returning: 0 }] });
  }, 180_000);
});

async function soldFor(shop: Shop, sale: TestSale): Promise<number> {
  const [row] = await shop.database.query(`SELECT COUNT(*) AS paid FROM orders WHERE sale_id = ? AND status = 'paid'`, [sale.id]);
  return Number(row.paid);
}
