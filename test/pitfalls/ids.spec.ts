import { Preloader } from '../../src/goods/index.js';
import type { Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';

/** From here on a double can't tell a whole number from its neighbour. */
const BEYOND = 2n ** 53n;
/** Every column with such an id, as long as nothing has been sold. */
const COLUMNS = ['goods.id', 'sales.id', 'sale_items.id', 'sale_items.goods_id', 'sale_items.sale_id', 'users.id'];
const PASSWORD = 'correct horse battery';
const [ITEMS, NAMES, MODES] = [[1, 2, 3, 4], ['ada', 'grace'], ['queue', 'instant']] as const;

/** What is moved up there once it is made: the ids that MySQL gives are small, and after those TypeORM itself loses digits. */
describe('ids beyond 2^53', () => {
  let shop: Shop;
  const sales: Partial<Record<string, TestSale>> = {};
  beforeAll(async () => {
    shop = await Shop.open();
    for (const mode of MODES) {
      const { id, itemIds } = await shop.sale({ mode, items: ITEMS.map((n) => ({ stock: 10 * n, limitPerUser: n })), publish: false });
      sales[mode] = { id: beyond(id), itemIds: itemIds.map(beyond) };
    }
    for (const username of NAMES) ok(await shop.api.post('/auth/register', { username, password: PASSWORD }), 201);
    const runner = shop.database.createQueryRunner();
    await runner.query('SET SESSION foreign_key_checks = 0');
    for (const place of COLUMNS) {
      const [table, column] = place.split('.');
      await runner.query(`UPDATE ${table} SET ${column} = ${column} + ${BEYOND} ORDER BY id DESC`);
    }
    await runner.query('SET SESSION foreign_key_checks = 1');
    await runner.release();
    const { token } = ok(await shop.api.post('/auth/login', { username: 'operator', password: 'operator-demo' }), 200).body;
    shop.operator = shop.api.as(token);
  });
  afterAll(() => shop.close());

  const signIn = async (username: string): Promise<{ id: string; shopper: Api }> => {
    const { user, token } = ok(await shop.api.post('/auth/login', { username, password: PASSWORD }), 200).body;
    return { id: user.id, shopper: shop.api.as(token) };
  };

  it.each(MODES)('are text in every answer, and none is taken for its neighbour, in mode %s', async (mode) => {
    const sale = sales[mode];
    if (!sale) throw new Error('no sale');
    ok(await shop.operator.post(`/admin/sales/${sale.id}/publish`), 200);
    const [{ id: firstId, shopper: first }, { id: secondId, shopper: second }] = [await signIn(NAMES[0]), await signIn(NAMES[1])];
    const basket = sale.itemIds.map((itemId, index) => ({ itemId, quantity: index + 1 }));
    const { orderId } = await shop.buy(first, sale, basket);
    await shop.buy(second, sale, basket.slice(0, 1));

    const order = ok(await first.get(`/orders/${orderId}`), 200).body;
    expect(order.lines.map(({ itemId, quantity }: Record<string, unknown>) => ({ itemId, quantity }))).toEqual(basket);
    const rows: Record<string, string>[] = await shop.database.query(
      `SELECT CAST(o.sale_id AS CHAR) AS saleId, CAST(o.user_id AS CHAR) AS userId, CAST(l.sale_item_id AS CHAR) AS itemId, CAST(l.goods_id AS CHAR) AS goodsId
         FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.id = ? ORDER BY l.sale_item_id`,
      [orderId],
    );
    expect(rows).toEqual(order.lines.map(({ itemId, goodsId }: Record<string, unknown>) => ({ saleId: sale.id, userId: firstId, itemId, goodsId })));
    for (const id of [sale.id, ...sale.itemIds, firstId, secondId]) expect(BigInt(id)).toBeGreaterThan(BEYOND);
    const answers = [await shop.api.get(`/sales/${sale.id}`), await shop.api.get('/sales'), await first.get('/orders'), await first.get(`/sales/${sale.id}/ticket`), await shop.operator.get(`/admin/sales/${sale.id}/proof`)];
    for (const answer of answers) expect(JSON.stringify(ok(answer, 200).body)).not.toMatch(/"(id|\w+Id)":\d/);

    await shop.wipe(sale);
    expect((await shop.get(Preloader).preload(sale.id)).outcome).toBe('loaded');
    ok(await first.post(`/orders/${orderId}/cancel`), 200);
    const free = (n: number): number => 10 * n - (n === 1 ? 1 : 0);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: ITEMS.map((n) => ({ itemId: sale.itemIds[n - 1], inList: free(n) })) });
  });
});

function beyond(id: string): string {
  return String(BEYOND + BigInt(id));
}
