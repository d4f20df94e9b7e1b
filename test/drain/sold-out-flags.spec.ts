import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { shardOf as shardOfShopper } from '../../src/goods/index.js';
import { SoldOutFlags } from '../../src/seckill/sold-out-flags.js';
import { shardOf } from '../harness/claims.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

describe('the sold-out flag of another API process', () => {
  let shop: Shop;
  let other: NestFastifyApplication;
  beforeAll(async () => {
    shop = await Shop.open();
    other = await shop.start(['api']);
  });
  afterAll(() => shop.close());

  it.each(['queue', 'instant'] as const)('rises when the last unit is taken and falls when one comes back, in mode %s', async (mode) => {
    const sale = await shop.sale({ mode, items: [{ stock: 1 }] });
    const here = shop.api;
    const [winner, loser] = await shop.shoppers(2);
    if (!winner || !loser) throw new Error('no shoppers');
    const isFlagged = (): boolean => other.get(SoldOutFlags, { strict: false }).has(shardOf(sale), sale.itemIds[0] ?? '');
    expect(here.base).toBe(`${await other.getUrl()}/api`);

    const { orderId } = await shop.buy(winner, sale);
    await until('the flag to rise', isFlagged);
    expect((await shop.join(loser, sale)).body).toMatchObject({ code: 'SOLD_OUT', remaining: 0 });

    ok(await winner.post(`/orders/${orderId}/cancel`), 200);
    // It would fall by itself only after two seconds.
    await until('the flag to fall', () => !isFlagged(), 1000);
    await shop.buy(loser, sale);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1, inList: 0 }] });
  });

  it('lets the first one through who asks after a broadcast, so that Redis knows of the wish, and refuses the next by itself', async () => {
    const sale = await shop.sale({ items: [{ stock: 2 }], shards: 2 });
    const [itemId = ''] = sale.itemIds;
    const winner = await shop.shopper();
    const shard = shardOfShopper(ok(await winner.get('/auth/me'), 200).body.id, 2);
    const flags = other.get(SoldOutFlags, { strict: false });
    await shop.buy(winner, sale);
    await until('the flag to rise', () => flags.has({ saleId: sale.id, shard }, itemId));
    expect([1, 2, 3].map(() => flags.refuses({ saleId: sale.id, shard }, itemId))).toEqual([false, true, true]);
    flags.set({ saleId: sale.id, shard }, itemId);
    expect(flags.refuses({ saleId: sale.id, shard }, itemId)).toBe(true);
    expect(flags.refuses({ saleId: sale.id, shard: 1 - shard }, itemId)).toBe(false);
  });

  it('falls when the operator adds units', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    const [winner, next] = await shop.shoppers(2);
    if (!winner || !next) throw new Error('no shoppers');
    await shop.buy(winner, sale);
    expect((await shop.join(next, sale)).body.code).toBe('SOLD_OUT');
    ok(await shop.operator.post(`/admin/sales/${sale.id}/items/${sale.itemIds[0]}/stock`, { delta: 1 }), 200);
    await shop.buy(next, sale);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 2, inList: 0 }] });
  });
});
