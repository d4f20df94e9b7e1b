import type { QueryRunner } from 'typeorm';
import { Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

/** As databaseOptions has it. */
const POOL_SIZE = 16;

/** What a crowd of shoppers who pay and cancel does to the pool of a process that is api and worker in one. */
describe('while every connection of the pool is in other hands', () => {
  let shop: Shop;
  let sale: TestSale;
  const others: QueryRunner[] = [];
  beforeAll(async () => {
    shop = await Shop.open();
    sale = await shop.sale({ items: [{ stock: 3 }] });
    await shop.buy(await shop.shopper(), sale);
  });
  afterAll(async () => {
    for (const other of others) await other.release();
    await shop.close();
  });

  it('who joins gets an order: the line does not stand behind the requests of those who have one', async () => {
    const [shopper, next] = [await shop.shopper(), await shop.shopper()];
    others.push(...Array.from({ length: POOL_SIZE }, () => shop.database.createQueryRunner()));
    let had = 0;
    for (const other of others) void other.connect().then(() => (had += 1));
    await until('the whole pool', () => had === POOL_SIZE);
    await shop.buy(shopper, sale);
    // Also by a drain that begins anew.
    await until('the line to rest', async () => (await shop.redis.hexists(`seckill:{${sale.id}:0}:sale`, 'waking')) === 0);
    await shop.buy(next, sale);
  });
});
