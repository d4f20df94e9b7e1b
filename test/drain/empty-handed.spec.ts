import { randomUUID } from 'node:crypto';
import { DrainSteps } from '../../src/order/drain-steps.js';
import { SeckillScripts } from '../../src/seckill/index.js';
import { shardOf } from '../harness/claims.js';
import { Shop } from '../harness/shop.js';

/** Two claims' worth of shoppers, and some. */
const STANDBY = 1100;

describe('a drain with a batch in hand', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());

  it('claims once among those who only get a place in the standby line, and then tells the shoppers of its batch', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }], standbyLimit: 5000 });
    const [shard, scripts] = [shardOf(sale), shop.get(SeckillScripts)];
    const join = (userId: number): Promise<unknown> =>
      scripts.join(shard, { ticketId: randomUUID(), userId: String(userId), basket: [{ itemId: sale.itemIds[0] ?? '', quantity: 1 }] });
    const steps = shop.get(DrainSteps).of({ id: randomUUID(), shard, itemIds: sale.itemIds, isStopping: () => false });
    await join(1);
    expect(await steps.next(0)).toMatchObject({ size: 1 });
    await Promise.all(Array.from({ length: STANDBY }, (_, index) => join(index + 2)));
    expect(await steps.next(1)).toBe('none');
    expect(await shop.redis.llen(`seckill:{${sale.id}:0}:queue`)).toBe(STANDBY - 500);
  });
});
