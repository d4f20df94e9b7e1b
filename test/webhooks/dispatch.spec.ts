import { EventsOut1764920000000 } from '../../migrations/1764920000000-events-out.js';
import { SaleReader } from '../../src/goods/index.js';
import { RedisClock } from '../../src/infra/clock/index.js';
import { Metrics } from '../../src/infra/metrics/index.js';
import { Dispatcher } from '../../src/webhooks/dispatcher.js';
import { SaleEvents } from '../../src/webhooks/sale-events.js';
import { WebhookCleaning } from '../../src/webhooks/webhook-cleaning.js';
import { until } from '../harness/until.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';

/** No scheduler runs here: each step is taken by the test. */
describe('handing events on', () => {
  let shop: Shop;
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    shop = await Shop.open({ WEBHOOK_ALLOW_PRIVATE: '1' }, ['api', 'worker']);
    dispatcher = new Dispatcher(shop.database, shop.get(RedisClock), shop.get(Metrics));
  });
  afterAll(() => shop.close());

  const register = async (): Promise<string> => ok(await shop.operator.post('/admin/webhooks', { url: 'http://127.0.0.1:9/' }), 201).body.id;
  const handedOn = async (endpointId: string): Promise<{ key: string; type: string; isDue: number }[]> =>
    shop.database.query('SELECT ordering_key AS `key`, type, next_try_at IS NOT NULL AS isDue FROM webhook_deliveries WHERE endpoint_id = ? ORDER BY id', [endpointId]);
  const unpublished = async (table: string): Promise<number> => Number((await shop.database.query(`SELECT COUNT(*) AS n FROM ${table} WHERE published_at IS NULL`))[0].n);
  const cancelledOrder = async (sale: TestSale): Promise<string> => {
    const shopper = await shop.shopper();
    const { orderId } = await shop.buy(shopper, sale);
    ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    return orderId;
  };

  it('marks what nobody wants to know', async () => {
    await cancelledOrder(await shop.sale());
    expect(await unpublished('order_events')).toBe(2);
    await dispatcher.dispatch();
    expect(await unpublished('order_events')).toBe(0);
  });

  it('passes over no event of an order that somebody has locked, waits for none, and keeps those after it back', async () => {
    const endpoint = await register();
    const sale = await shop.sale();
    const [held, free] = [await cancelledOrder(sale), await cancelledOrder(sale)];
    const other = shop.database.createQueryRunner();
    await other.startTransaction('READ COMMITTED');
    await other.query(`SELECT id FROM order_events WHERE order_id = ? AND to_status = 'awaiting_payment' FOR UPDATE`, [held]);
    await dispatcher.dispatch();
    expect(await handedOn(endpoint)).toMatchObject([
      { key: `order:${free}`, type: 'order.awaiting_payment' },
      { key: `order:${free}`, type: 'order.cancelled' },
    ]);
    await other.rollbackTransaction();
    await other.release();
    await dispatcher.dispatch();
    const rows = (await handedOn(endpoint)).filter(({ key }) => key === `order:${held}`);
    expect(rows.map(({ type, isDue }) => [type, Number(isDue)])).toEqual([['order.awaiting_payment', 1], ['order.cancelled', 0]]);
  });

  it('hands each event on once, however many do so at the same time', async () => {
    const endpoint = await register();
    const sale = await shop.sale({ items: [{ stock: 10 }] });
    await Promise.all(Array.from({ length: 10 }, () => cancelledOrder(sale)));
    await Promise.all(Array.from({ length: 4 }, () => dispatcher.dispatch()));
    await dispatcher.dispatch();
    const rows = await handedOn(endpoint);
    expect(rows).toHaveLength(20);
    expect(rows.filter(({ isDue }) => Number(isDue) === 1).map(({ type }) => type)).toEqual(Array(10).fill('order.awaiting_payment'));
  });

  it('removes a deleted endpoint with its deliveries, and what was delivered long ago', async () => {
    const cleaning = new WebhookCleaning(shop.database, shop.get(RedisClock));
    const [gone, kept] = [await register(), await register()];
    await cancelledOrder(await shop.sale());
    await dispatcher.dispatch();
    ok(await shop.operator.delete(`/admin/webhooks/${gone}`), 204);
    await shop.database.query(`UPDATE webhook_deliveries SET status = 'delivered', next_try_at = NULL, delivered_at = UTC_TIMESTAMP(3) - INTERVAL 8 DAY WHERE endpoint_id = ? AND type = 'order.awaiting_payment'`, [kept]);
    await cleaning.clean();
    expect([await handedOn(gone), (await handedOn(kept)).map(({ type }) => type)]).toEqual([[], ['order.cancelled']]);
    expect(await shop.database.query('SELECT id FROM webhook_endpoints WHERE id = ?', [gone])).toEqual([]);
  });

  it('has nothing to tell of sales that were over before there were webhooks, and all of those that end later', async () => {
    const over = await shop.sale();
    ok(await shop.operator.post(`/admin/sales/${over.id}/end`), 200);
    const live = await shop.sale();
    await shop.sale({ publish: false });
    const [migration, runner] = [new EventsOut1764920000000(), shop.database.createQueryRunner()];
    await migration.down(runner);
    await migration.up(runner);
    await runner.release();
    const sales = new SaleEvents(shop.database, shop.get(SaleReader), shop.get(RedisClock));
    const scheduled = await shop.sale({ startsInMs: 60_000 });
    await Promise.all([sales.record(), sales.record()]);
    expect([await unpublished('sale_events'), await unpublished('order_events')]).toEqual([0, 0]);
    for (const sale of [live, scheduled]) ok(await shop.operator.post(`/admin/sales/${sale.id}/end`), 200);
    // Their lines may still be served for a moment.
    const rows = await until('both ends', async () => {
      await Promise.all([sales.record(), sales.record()]);
      const found: unknown[] = await shop.database.query('SELECT sale_id, type FROM sale_events WHERE published_at IS NULL ORDER BY sale_id');
      return found.length > 1 && found;
    });
    expect(rows).toEqual([{ sale_id: live.id, type: 'sale.ended' }, { sale_id: scheduled.id, type: 'sale.ended' }]);
  });
});
