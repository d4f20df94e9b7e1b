import { ok, Shop } from '../harness/shop.js';

/** A row of the outbox was carried to Redis, its unit was sold again, and only then it shows that the row was never marked as relayed. */
describe('a lost relay mark and a rebuild after it', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api', 'worker']);
    shop.bePatient();
  });
  afterAll(() => shop.close());

  it.each([
    ['sold again', true],
    ['free', false],
  ])('puts a unit that is %s back no second time', async (_state, isSoldAgain) => {
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    const [first, second] = await shop.shoppers(2);
    if (!first || !second) throw new Error('no shoppers');
    const { orderId } = await shop.buy(first, sale);
    ok(await first.post(`/orders/${orderId}/cancel`), 200);
    if (isSoldAgain) await shop.buy(second, sale);
    await shop.database.query('UPDATE token_returns SET relayed_at = NULL WHERE order_id = ?', [orderId]);

    await shop.redis.del(`seckill:{${sale.id}:0}:sale`);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    const scheduler = await shop.start(['scheduler']);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: isSoldAgain ? 0 : 1, held: isSoldAgain ? 1 : 0, returning: 0 }] });
    await shop.stop(scheduler);
    if (!isSoldAgain) await shop.buy(second, sale);
    expect(await shop.redis.hget(`seckill:{${sale.id}:0}:units`, `${await idOf(second)}:${sale.itemIds[0]}`)).toBe('1');
  });
});

async function idOf(shopper: { get(path: string): Promise<{ body: { id: string } }> }): Promise<string> {
  return (await shopper.get('/auth/me')).body.id;
}
