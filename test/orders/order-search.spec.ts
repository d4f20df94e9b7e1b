import { firstOrderIdAt } from '../../src/order/order-id.js';
import { searchStatement, type OrderFilter } from '../../src/order/order-search.js';
import { expectProblem } from '../contract/refusals.js';
import { writeOrders } from '../harness/many-orders.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';

/** Two sales long ago, one order a millisecond. */
const [MANY, FEW, USERS] = [100_000, 2000, 1000];
const [MANY_MS, FEW_MS] = [Date.UTC(2025, 0, 1), Date.UTC(2025, 0, 2)];
const iso = (ms: number): string => new Date(ms).toISOString();

describe("the operator's search for orders", () => {
  let shop: Shop;
  let [many, few]: TestSale[] = [];
  let firstUserId: number;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    [many, few] = [await shop.sale({ publish: false }), await shop.sale({ publish: false })];
    ({ firstUserId } = await writeOrders(shop.database, { saleId: many.id, count: MANY, fromMs: MANY_MS, users: USERS, usernames: 'shopper-' }));
    await writeOrders(shop.database, { saleId: few.id, count: FEW, fromMs: FEW_MS, users: 10, usernames: 'other-' });
    await shop.database.query('ANALYZE TABLE orders');
  });
  afterAll(() => shop.close());

  type Found = { id: string; status: string; saleId: string; createdAt: string; user: { id: string; username: string } };
  const page = async (query: Record<string, string>): Promise<{ orders: Found[]; nextCursor?: string }> =>
    ok(await shop.operator.get(`/admin/orders?${new URLSearchParams(query).toString()}`), 200).body;
  const all = async (query: Record<string, string>): Promise<Found[]> => {
    const { orders, nextCursor } = await page({ limit: '100', ...query });
    return nextCursor === undefined ? orders : [...orders, ...(await all({ ...query, cursor: nextCursor }))];
  };
  const truth = async (where: string): Promise<string[]> =>
    (await shop.database.query(`SELECT o.id FROM orders o JOIN users u ON u.id = o.user_id WHERE ${where} ORDER BY o.id DESC`)).map(({ id }: { id: string }) => id);

  it('finds what each set of filters says, newest first, none twice and none left out', async () => {
    const from = { from: iso(MANY_MS + 10_000), to: iso(MANY_MS + 10_250) };
    const inTime = `o.created_at >= '2025-01-01 00:00:10' AND o.created_at < '2025-01-01 00:00:10.250'`;
    const user = { userId: String(firstUserId + 7) };
    const cases: [Record<string, string>, string][] = [
      [{ ...from }, inTime],
      [{ ...from, status: 'cancelled' }, `${inTime} AND o.status = 'cancelled'`],
      [{ ...from, saleId: many?.id ?? '' }, `${inTime} AND o.sale_id = ${many?.id}`],
      [{ ...from, saleId: few?.id ?? '' }, 'FALSE'],
      [{ saleId: few?.id ?? '', status: 'refunded' }, `o.sale_id = ${few?.id} AND o.status = 'refunded'`],
      [{ ...user }, `o.user_id = ${user.userId}`],
      [{ username: 'SHOPPER-7', status: 'paid' }, `u.username = 'shopper-7' AND o.status = 'paid'`],
      [{ ...user, username: 'shopper-7', saleId: many?.id ?? '' }, `o.user_id = ${user.userId}`],
      [{ ...user, ...from }, `${inTime} AND o.user_id = ${user.userId}`],
      [{ ...user, username: 'shopper-8' }, 'FALSE'],
      [{ username: 'nobody' }, 'FALSE'],
      [{ status: 'refunded', saleId: many?.id ?? '', to: iso(MANY_MS + 20_000) }, `o.status = 'refunded' AND o.created_at < '2025-01-01 00:00:20'`],
      [{ from: iso(FEW_MS + FEW - 150) }, `o.created_at >= '2025-01-02 00:00:01.850'`],
    ];
    for (const [query, where] of cases) expect([query, (await all(query)).map(({ id }) => id)]).toEqual([query, await truth(where)]);
  });

  it('shows whose an order is, twenty a page unless told otherwise', async () => {
    const first = await page({ status: 'refunded' });
    expect(first.orders).toHaveLength(20);
    expect(first.orders[0]).toMatchObject({ saleId: few?.id, status: 'refunded', user: { username: expect.stringMatching(/^other-\d$/) } });
    expect((await page({ limit: '3' })).orders).toHaveLength(3);
  });

  it('finds an order that was just made by its createdAt, to the millisecond', async () => {
    await shop.start(['worker', 'scheduler']);
    const sale = await shop.sale();
    const { orderId } = await shop.buy(await shop.shopper(), sale);
    const { createdAt } = ok(await shop.operator.get(`/admin/orders/${orderId}`), 200).body;
    const next = iso(Date.parse(createdAt) + 1);
    expect((await page({ from: createdAt, to: next })).orders.map(({ id }) => id)).toEqual([orderId]);
    expect((await page({ from: next })).orders).toEqual([]);
    expect((await page({ from: iso(FEW_MS + FEW), to: createdAt })).orders).toEqual([]);
  });

  it('refuses what is not well-formed, and shoppers', async () => {
    const queries = [
      'status=unpaid', 'status=', 'userId=x', 'userId=1&userId=2', 'username=', 'saleId=0', 'saleId=1%20', 'from=yesterday', 'from=2025-01-01', 'to=2025-02-30T00:00:00Z',
      'from=2025-01-02T00:00:00Z&to=2025-01-01T00:00:00Z', 'cursor=x', 'limit=0', 'limit=101', 'limit=1.5', 'limit=many', 'limit=', 'page=2', 'sort=asc',
    ];
    for (const query of queries) expectProblem(await shop.operator.get(`/admin/orders?${query}`), 400, 'VALIDATION_FAILED');
    const shopper = await shop.shopper();
    expectProblem(await shopper.get('/admin/orders'), 403, 'FORBIDDEN');
  });

  describe('goes by an index', () => {
    const [user, time] = [{ userId: '0' }, { fromMs: MANY_MS + 10_000, toMs: MANY_MS + 60_000 }];
    const wanted: OrderFilter[] = [{}, { saleId: 'many' }, { status: 'refunded', saleId: 'many' }, { ...user }, { ...user, saleId: 'many' }, { ...user, status: 'paid' }, { ...user, saleId: 'many', status: 'paid' }];
    const filters = wanted.flatMap((filter) => [filter, { ...filter, ...time }]);

    it.each(filters)('and reads a page, or what the shopper has, and no more: %j', async (filter) => {
      const given = { ...filter, ...(filter.saleId && { saleId: many?.id ?? '' }), ...(filter.userId && { userId: String(firstUserId + 7) }) };
      const { sql, parameters } = searchStatement(given, firstOrderIdAt(MANY_MS + 50_000), 21);
      expect(await rowsRead(sql, parameters)).toBeLessThan(filter.userId ? 2 * (MANY / USERS) : 50);
    });

    it('by status alone reads entries of that status in the index, and no rows', async () => {
      for (const filter of [{ status: 'refunded' as const }, { status: 'refunded' as const, ...time }]) {
        const { sql, parameters } = searchStatement(filter, null, 21);
        const [plan] = await shop.database.query(`EXPLAIN ${sql}`, parameters);
        expect([plan.key, plan.Extra]).toEqual(['ix_orders_status', expect.stringContaining('Using index')]);
        expect(await rowsRead(sql, parameters)).toBeLessThan(1.1 * ((MANY + FEW) / 100));
      }
    });

    /** What the storage engine was asked for, which no estimate can hide; looking at the counters counts itself. */
    const rowsRead = (sql: string, parameters: unknown[]): Promise<number> =>
      shop.database.transaction(async (manager) => {
        const count = async (): Promise<number> => {
          const counters: { Variable_name: string; Value: string }[] = await manager.query(`SHOW SESSION STATUS LIKE 'Handler_read%'`);
          return counters.filter(({ Variable_name }) => /_(first|key|last|next|prev|rnd|rnd_next)$/.test(Variable_name)).reduce((sum, { Value }) => sum + Number(Value), 0);
        };
        const [first, second] = [await count(), await count()];
        await manager.query(sql, parameters);
        return (await count()) - second - (second - first);
      });
  });
});
