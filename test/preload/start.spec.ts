import { ok, Shop } from '../harness/shop.js';

describe('a scheduler that starts', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
  });
  afterAll(() => shop.close());

  it('has loaded the running sales when it says that it is ready', async () => {
    const sale = await shop.sale();
    const shopper = await shop.shopper();
    await shop.redis.del(...(await shop.redis.keys(`seckill:{${sale.id}:*`)));
    expect((await shop.join(shopper, sale)).status).toBe(503);
    await shop.start(['scheduler']);
    expect((await shop.proof(sale)).loaded).toBe(true);
    ok(await shop.join(shopper, sale), 202);
  });
});
