import { inParallel } from '../harness/parallel.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { booksOf } from '../harness/books.js';

const [SHOPPERS, UNITS] = [300, 1000];

describe('a crowd whose baskets are as large as they may be', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    shop.bePatient();
  });
  afterAll(() => shop.close());

  it('is decided, although its units would fit in no single statement', async () => {
    const sale = await shop.sale({ items: [{ stock: SHOPPERS * UNITS, limitPerUser: UNITS }] });
    const basket = [{ itemId: sale.itemIds[0] ?? '', quantity: UNITS }];
    await inParallel(await shop.shoppers(SHOPPERS), 50, async (shopper) => ok(await shop.join(shopper, sale, basket), 202));
    await shop.start(['worker', 'scheduler']);
    await until('all units to be sold', async () => (await booksOf(shop, sale)).sold === SHOPPERS * UNITS, 90_000);
    expect(await booksOf(shop, sale)).toMatchObject({ heldUnits: SHOPPERS * UNITS, users: SHOPPERS, mostUnits: UNITS, inList: 0 });
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  }, 150_000);
});
