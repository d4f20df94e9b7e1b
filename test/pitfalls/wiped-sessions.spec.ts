import { ok, Shop } from '../harness/shop.js';

describe('sessions that a lost Redis wiped', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await Shop.open({}, ['api']);
  });
  afterEach(() => shop.close());

  const twoWithTickets = async () => {
    const sale = await shop.sale({ items: [{ stock: 10 }] });
    const shoppers = await shop.shoppers(2);
    for (const shopper of shoppers) {
      ok(await shop.join(shopper, sale), 202);
      ok(await shopper.get(`/sales/${sale.id}/ticket`), 200);
    }
    await shop.redis.flushall();
    const [one, other] = shoppers;
    if (!one || !other) throw new Error('no shoppers');
    return { sale, one, other };
  };

  it('ask for a login once the shopper joins', async () => {
    const { sale, one } = await twoWithTickets();
    ok(await shop.join(one, sale), 401);
    ok(await one.get(`/sales/${sale.id}/ticket`), 401);
  });

  it('ask for a login once anybody is told that the sale is gone', async () => {
    const { sale, one, other } = await twoWithTickets();
    ok(await one.get(`/sales/${sale.id}/ticket`), 503);
    ok(await one.get(`/sales/${sale.id}/ticket`), 401);
    ok(await other.get(`/sales/${sale.id}/ticket`), 401);
  });
});
