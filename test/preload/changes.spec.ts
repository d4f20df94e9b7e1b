import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

/** What operators change while the service runs is followed without a restart, by every process. */
describe('a running service', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
    await shop.start(['api']);
  });
  afterAll(() => shop.close());

  it('sells a sale from the moment it is published', async () => {
    const sale = await shop.sale({ publish: false });
    const shopper = await shop.shopper();
    expect((await shop.join(shopper, sale)).body.code).toBe('SALE_NOT_FOUND');
    ok(await shop.operator.post(`/admin/sales/${sale.id}/publish`), 200);
    await shop.buy(shopper, sale);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1, inList: 9 }] });
  });

  it('opens a sale earlier when its start is brought forward, though it was not loaded yet', async () => {
    const sale = await shop.sale({ startsInMs: 1_800_000 });
    const shopper = await shop.shopper();
    expect((await shop.join(shopper, sale)).body.code).toBe('NOT_STARTED');
    expect((await shop.proof(sale)).loaded).toBe(false);
    ok(await shop.operator.patch(`/admin/sales/${sale.id}`, { startsAt: new Date(Date.now() - 1000).toISOString() }), 200);
    await shop.buy(shopper, sale);
  });

  it('opens a loaded sale later when its start is put off', async () => {
    const sale = await shop.sale({ startsInMs: 60_000 });
    const later = new Date(Date.now() + 120_000).toISOString();
    ok(await shop.operator.patch(`/admin/sales/${sale.id}`, { startsAt: later }), 200);
    expect((await shop.join(await shop.shopper(), sale)).body).toMatchObject({ code: 'NOT_STARTED', startsAt: later });
  });

  it('follows a decision whose way to Redis was cut', async () => {
    const sale = await shop.sale();
    await shop.database.query(`UPDATE sales SET state = 'paused' WHERE id = ?`, [sale.id]);
    await until('the sale to be paused', async () => (await shop.join(await shop.shopper(), sale)).body.code === 'PAUSED');
  });

  it('builds a lost state again by itself', async () => {
    const sale = await shop.sale({ shards: 2 });
    await shop.buy(await shop.shopper(), sale);
    await shop.wipe(sale);
    await until('the sale to be loaded again', async () => (await shop.proof(sale)).loaded);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1, inList: 9 }] });
  });

  it('loads a stock of 200,000', async () => {
    const sale = await shop.sale({ items: [{ stock: 200_000, limitPerUser: 5 }] });
    await shop.buy(await shop.shopper(), sale, [{ itemId: sale.itemIds[0] ?? '', quantity: 5 }]);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: 200_000, inList: 199_995, held: 5 }] });
  });
});
