import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../harness/api.js';
import { inParallel, tally } from '../harness/parallel.js';
import { confirmPayment } from '../harness/sandbox.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const LONG_MS = 60_000;

/** The end of a sale, and what operators change before it. */
describe('a sale', () => {
  let shop: Shop;
  beforeAll(async () => {
    // The sandbox's own webhooks never arrive: the tests say when a payment succeeds.
    shop = await Shop.open({ HOST: '127.0.0.2' });
    shop.bePatient();
  });
  afterAll(() => shop.close());

  const pay = async (shopper: Api, orderId: string): Promise<void> => {
    const { body } = ok(await shopper.post(`/orders/${orderId}/pay`), 200);
    ok(await confirmPayment(shop.api, { id: body.payment.id, amountMinor: body.amountMinor, currency: body.currency }), 200);
  };
  const admin = (sale: TestSale, path = ''): string => `/admin/sales/${sale.id}${path}`;
  const shown = async (sale: TestSale) => ok(await shop.operator.get(admin(sale)), 200).body;
  const report = async (sale: TestSale) => ok(await shop.operator.get(admin(sale, '/report')), 200).body;
  const extend = (sale: TestSale, byMs: number) => shop.operator.patch(admin(sale), { endsAt: new Date(Date.now() + byMs).toISOString() });

  describe('that is over', () => {
    it('is closed when its last order is, with a report that stays', async () => {
      const sale = await shop.sale({ items: [{ stock: 2, priceMinor: 250 }, { stock: 5 }], endsInMs: 10_000, paymentTimeoutSeconds: 4 });
      const [payer, canceller, late, stranger] = (await shop.shoppers(4)) as [Api, Api, Api, Api];
      const first = await shop.buy(payer, sale);
      await pay(payer, first.orderId);
      const second = await shop.buy(canceller, sale);
      ok(await canceller.post(`/orders/${second.orderId}/cancel`), 200);
      await until('the unit to be back', async () => (await shop.proof(sale)).items[0].inList === 1);
      await shop.buy(late, sale);
      expect((await shop.join(stranger, sale)).body.code).toBe('SOLD_OUT');
      expect(await report(sale)).toMatchObject({ orders: { paid: 1, awaiting_payment: 1 } });
      expect((await report(sale)).closedAt).toBeUndefined();
      const { closedAt } = await until('the sale to be closed', async () => ((await shown(sale)).closedAt ? await shown(sale) : undefined), LONG_MS);
      const stored = await report(sale);
      expect(stored).toMatchObject({
        saleId: sale.id, closedAt, joins: 3, decided: 3, decisions: { ordered: 3 }, refusals: { SOLD_OUT: 1 }, currency: 'EUR', paidMinor: 250, refundedMinor: 0,
        orders: { awaiting_payment: 0, paid: 1, expired: 1, cancelled: 1, refunded: 0 },
        items: [{ itemId: sale.itemIds[0], stock: 2, sold: 1, left: 1 }, { itemId: sale.itemIds[1], stock: 5, sold: 0, left: 5 }],
      });
      expect(stored.soldOutAt).toBeUndefined();
      expect(stored.waitMs.p50).toBeLessThanOrEqual(stored.waitMs.p99);
      expect(stored.waitMs.p99).toBeLessThanOrEqual(stored.waitMs.longest);
      ok(await shop.operator.post(`/admin/orders/${first.orderId}/refund`), 200);
      expect(await report(sale)).toEqual(stored);
      expect(ok(await late.get(`/sales/${sale.id}/ticket`), 200).body.status).toBe('expired');
      expect((await extend(sale, LONG_MS)).body.code).toBe('SALE_STATE_CONFLICT');
    }, 120_000);

    it('says when it sold out, and has its report as a table, too', async () => {
      const sale = await shop.sale({ items: [{ stock: 2 }] });
      const shoppers = await shop.shoppers(2);
      for (const shopper of shoppers) await shop.buy(shopper, sale);
      const { soldOutAt, secondsToSellOut, startsAt } = await report(sale);
      // Its start lay in the past when it was published, and nobody could buy before that.
      const { changes } = ok(await shop.operator.get(admin(sale, '/audit')), 200).body;
      expect(secondsToSellOut).toBeCloseTo((Date.parse(soldOutAt) - Date.parse(changes.at(-1).at)) / 1000, 3);
      expect(secondsToSellOut).toBeLessThan((Date.parse(soldOutAt) - Date.parse(startsAt)) / 1000);
      const { body, headers } = ok(await shop.operator.get(admin(sale, '/report.csv')), 200);
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(body.split('\r\n')).toEqual(expect.arrayContaining(['figure,value', `saleId,${sale.id}`, `items.${sale.itemIds[0]}.sold,2`, 'orders.awaiting_payment,2']));
    });

    it('is closed also when it was never loaded, and says when it ended', async () => {
      const sale = await shop.sale({ startsInMs: 3_600_000, endsInMs: 7_200_000 });
      ok(await shop.operator.post(admin(sale, '/end')), 200);
      const { closedAt, endedAt, endsAt } = await until('the sale to be closed', async () => ((await report(sale)).closedAt ? await report(sale) : undefined), LONG_MS);
      expect(Date.parse(endedAt)).toBeLessThan(Date.parse(closedAt));
      expect(Date.parse(endedAt)).toBeLessThan(Date.parse(endsAt));
    }, 90_000);

    it('counts a join that is repeated with its key once', async () => {
      const sale = await shop.sale();
      const shopper = await shop.shopper();
      const join = () => shopper.post(`/sales/${sale.id}/tickets`, { items: [{ itemId: sale.itemIds[0], quantity: 1 }] }, { 'idempotency-key': 'once' });
      for (let call = 0; call < 3; call += 1) ok(await join(), 202);
      await until('the join to be counted', async () => (await report(sale)).joins > 0, LONG_MS);
      expect((await report(sale)).joins).toBe(1);
    });

    it('lets nobody in from its last millisecond on, however many try; who was in line before is served', async () => {
      const sale = await shop.sale({ items: [{ stock: 1000 }], endsInMs: 2500 });
      const { endsAt } = await shown(sale);
      const shoppers = await shop.shoppers(200);
      await delay(Math.max(0, Date.parse(endsAt) - Date.now() - 400));
      const joins = await inParallel(shoppers, 20, async (shopper) => (await delay(Math.random() * 500), shop.join(shopper, sale)));
      const codes = tally(joins.map(({ status, body }) => (status === 202 ? 'in' : String(body.code))));
      expect(Object.keys(codes).sort()).toEqual(['ENDED', 'in']);
      await until('all who got in to have an order', async () => (await report(sale)).orders.awaiting_payment === codes.in, LONG_MS);
      const [late] = await shop.database.query('SELECT COUNT(*) AS orders FROM orders WHERE sale_id = ? AND joined_at >= ?', [sale.id, new Date(endsAt)]);
      expect(Number(late.orders)).toBe(0);
    }, 120_000);
  });

  describe('while it is on', () => {
    it('can be ended earlier by moving its end, and its past start stays', async () => {
      const sale = await shop.sale();
      ok(await extend(sale, 5000), 200);
      expect((await shop.operator.patch(admin(sale), { startsAt: '2090-01-01T00:00:00Z', endsAt: '2091-01-01T00:00:00Z' })).body.code).toBe('SALE_STATE_CONFLICT');
      expect((await shop.operator.patch(admin(sale), { endsAt: new Date(Date.now() - 1000).toISOString() })).body.code).toBe('VALIDATION_FAILED');
      const { endsAt } = await shown(sale);
      const shopper = await shop.shopper();
      await until('the sale to have ended', async () => (await shop.join(shopper, sale)).body.code === 'ENDED');
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(endsAt));
    });

    it('takes another limit at once: for the next join, and for who is in line', async () => {
      const sale = await shop.sale({ items: [{ stock: 10, limitPerUser: 1 }] });
      const shopper = await shop.shopper();
      const three = [{ itemId: sale.itemIds[0] ?? '', quantity: 3 }];
      expect((await shop.join(shopper, sale, three)).body.code).toBe('LIMIT_REACHED');
      const limit = (limitPerUser: unknown, itemId = sale.itemIds[0]) => shop.operator.patch(admin(sale, `/items/${itemId}`), { limitPerUser });
      expect(ok(await limit(3), 200).body.items[0].limitPerUser).toBe(3);
      await shop.buy(shopper, sale, three);
      ok(await limit(2), 200);
      const other = await shop.shopper();
      expect((await shop.join(other, sale, three)).body.code).toBe('LIMIT_REACHED');
      for (const wrong of [0, 1001, 1.5, '2', null]) expect((await limit(wrong)).body.code).toBe('VALIDATION_FAILED');
      expect((await limit(1, '999999')).body.code).toBe('ITEM_NOT_FOUND');
      expect(await shop.proof(sale)).toMatchObject({ ok: true });
    });

    it.each([['stop', 'queued'], ['go_on', 'awaiting_payment']])('serves its line while it is paused, or not, as the operator says (%s)', async (claims, status) => {
      const sale = await shop.sale();
      // Somebody else has the drain's lease for a while, so that the pause meets a line.
      const shopper = await shop.shopper();
      await shop.redis.hset(`seckill:{${sale.id}:0}:sale`, 'drainId', 'somebody', 'leaseUntilMs', String(Date.now() + 2000));
      ok(await shop.join(shopper, sale), 202);
      expect(ok(await shop.operator.post(admin(sale, '/pause'), { claims }), 200).body).toMatchObject({ state: 'paused', claims });
      expect((await shop.join(await shop.shopper(), sale)).body.code).toBe('PAUSED');
      if (claims === 'go_on') await shop.ticketWhen(shopper, sale, [status], LONG_MS);
      else await delay(6000);
      expect(ok(await shopper.get(`/sales/${sale.id}/ticket`), 200).body.status).toBe(status);
      ok(await shop.operator.post(admin(sale, '/resume')), 200);
      await shop.ticketWhen(shopper, sale, ['awaiting_payment'], LONG_MS);
      expect(await shop.proof(sale)).toMatchObject({ ok: true });
    }, 120_000);

    it('keeps who changed what, and when', async () => {
      const sale = await shop.sale({ items: [{ stock: 3, limitPerUser: 1 }] });
      const [itemId] = sale.itemIds;
      ok(await shop.operator.post(admin(sale, `/items/${itemId}/stock`), { delta: 2 }), 200);
      ok(await shop.operator.post(admin(sale, `/items/${itemId}/stock`), { delta: -1 }), 200);
      ok(await shop.operator.patch(admin(sale, `/items/${itemId}`), { limitPerUser: 2 }), 200);
      ok(await shop.operator.patch(admin(sale), { title: 'Renamed' }), 200);
      ok(await shop.operator.post(admin(sale, '/pause'), { claims: 'stop' }), 200);
      ok(await shop.operator.post(admin(sale, '/pause'), { claims: 'stop' }), 200);
      ok(await shop.operator.post(admin(sale, '/resume')), 200);
      ok(await shop.operator.post(admin(sale, '/end')), 200);
      expect((await shop.operator.post(admin(sale, `/items/${itemId}/stock`), { delta: -9 })).status).toBe(409);
      const { changes } = ok(await shop.operator.get(admin(sale, '/audit')), 200).body;
      expect(changes.map(({ action }: { action: string }) => action)).toEqual(['end', 'resume', 'pause', 'edit', 'limit', 'stock', 'stock', 'publish']);
      expect(changes[2]).toMatchObject({ before: { stage: 'published', claims: 'go_on' }, after: { stage: 'paused', claims: 'stop' }, operator: { username: 'operator' } });
      expect(changes[3]).toMatchObject({ before: { title: 'Test sale' }, after: { title: 'Renamed' } });
      expect(changes[4]).toMatchObject({ before: { itemId, limitPerUser: 1 }, after: { itemId, limitPerUser: 2 } });
      expect(changes[5]).toMatchObject({ before: { itemId, stock: 5 }, after: { itemId, stock: 4 } });
      expect(Math.abs(Date.parse(changes[0].at) - Date.now())).toBeLessThan(60_000);
      expect((await (await shop.shopper()).get(admin(sale, '/audit'))).status).toBe(403);
      expect((await shop.operator.get(admin(sale, '/audit?cursor=x'))).body.code).toBe('VALIDATION_FAILED');
    });
  });
});
