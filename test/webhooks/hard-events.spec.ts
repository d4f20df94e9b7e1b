import { RedisClock } from '../../src/infra/clock/index.js';
import { Metrics } from '../../src/infra/metrics/index.js';
import { Dispatcher } from '../../src/webhooks/dispatcher.js';
import { ok, Shop } from '../harness/shop.js';

const ENDPOINTS = 4;
/** A sale of a hundred items with long titles. */
const LARGE = JSON.stringify({ title: '😀'.repeat(22_500) });
/** To four endpoints more than the 16 MiB that MariaDB takes in one statement. */
const SALES = 60;

/** No scheduler runs here: each step is taken by the test. */
describe('events that are hard to hand on', () => {
  let shop: Shop;
  let dispatcher: Dispatcher;
  const endpoints: string[] = [];
  beforeAll(async () => {
    shop = await Shop.open({ WEBHOOK_ALLOW_PRIVATE: '1' }, ['api', 'worker']);
    dispatcher = new Dispatcher(shop.database, shop.get(RedisClock), shop.get(Metrics));
    for (let i = 0; i < ENDPOINTS; i += 1) endpoints.push(ok(await shop.operator.post('/admin/webhooks', { url: 'http://127.0.0.1:9/' }), 201).body.id);
  });
  afterAll(() => shop.close());

  let saleId = 1_000_000;
  const tell = async (sale: string, type = 'sale.opened'): Promise<string> => {
    saleId += 1;
    await shop.database.query('INSERT INTO sale_events (sale_id, type, sale, created_at) VALUES (?, ?, ?, ?)', [saleId, type, sale, new Date(Date.now() + 60_000)]);
    return `sale:${saleId}`;
  };
  const handedOn = async (key: string): Promise<number> => Number((await shop.database.query('SELECT COUNT(*) AS n FROM webhook_deliveries WHERE ordering_key = ?', [key]))[0].n);
  const unpublished = async (table: string): Promise<number> => Number((await shop.database.query(`SELECT COUNT(*) AS n FROM ${table} WHERE published_at IS NULL`))[0].n);
  const givenUp = async (): Promise<number> => (await shop.get(Metrics).webhookEventsLost.get()).values.reduce((sum, { value }) => sum + value, 0);

  it('hands on large ones, however many come at once', async () => {
    const keys: string[] = [];
    for (let i = 0; i < SALES; i += 1) keys.push(await tell(LARGE));
    await dispatcher.dispatch();
    for (const key of keys) expect(await handedOn(key)).toBe(ENDPOINTS);
    expect(await givenUp()).toBe(0);
  });

  it.each<[string, () => Promise<string>]>([
    ['that can not be read', () => tell('{"title": ')],
    ['of an unknown type', () => tell('{}', 'sale.eaten')],
    ['larger than any statement', () => tell(JSON.stringify({ title: 'x'.repeat(2 << 20) }))],
    ['that the table refuses', async () => {
      const key = await tell('{}');
      const [{ id }] = await shop.database.query('SELECT id FROM sale_events WHERE sale_id = ?', [saleId]);
      await shop.database.query(
        `INSERT INTO webhook_deliveries (endpoint_id, event_id, type, ordering_key, payload, status, created_at) VALUES (?, ?, 'sale.opened', 'other', '{}', 'delivered', NOW(3))`,
        [endpoints[0], `evt_sale_${id}`],
      );
      return key;
    }],
  ])('gives up one %s, says so, and goes on with the rest', async (_, poisoned) => {
    const [before, wrong, after] = [await tell('{}'), await poisoned(), await tell('{}')];
    const lost = await givenUp();
    await dispatcher.dispatch();
    expect([await handedOn(before), await handedOn(wrong), await handedOn(after)]).toEqual([ENDPOINTS, 0, ENDPOINTS]);
    expect([await givenUp(), await unpublished('sale_events')]).toEqual([lost + 1, 0]);
  });

  it('hands the events of orders on while those of sales can not be, and gives none of them up', async () => {
    const { orderId } = await shop.buy(await shop.shopper(), await shop.sale());
    const key = await tell('{}');
    const lost = await givenUp();
    await shop.database.query('RENAME TABLE sale_events TO sale_events_away');
    await expect(dispatcher.dispatch()).rejects.toThrow();
    await shop.database.query('RENAME TABLE sale_events_away TO sale_events');
    expect(await handedOn(`order:${orderId}`)).toBe(ENDPOINTS);
    await dispatcher.dispatch();
    expect([await handedOn(key), await givenUp()]).toEqual([ENDPOINTS, lost]);
  });
});
