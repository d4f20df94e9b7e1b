import type { Answer, Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { ApiDocument, type Route } from './api-document.js';
import { expectRefusal } from './refusals.js';

/** Everything else wants a token: a new route that is not named here must refuse strangers. */
const OPEN_TO_ALL = ['POST /auth/register', 'POST /auth/login', 'GET /sales', 'GET /sales/{saleId}', 'POST /payments/{provider}/webhook'];
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

describe('who may call what', () => {
  let shop: Shop;
  let sale: TestSale;
  let buyer: Api;
  let parameters: Record<string, string>;
  let routes: Route[];
  beforeAll(async () => {
    shop = await Shop.open();
    sale = await shop.sale({ items: [{ stock: 3, limitPerUser: 2 }] });
    buyer = await shop.shopper();
    const { orderId } = await shop.buy(buyer, sale);
    const { goods } = ok(await shop.operator.get('/admin/goods'), 200).body;
    parameters = { saleId: sale.id, itemId: sale.itemIds[0] ?? '', goodsId: goods[0].id, orderId, provider: 'sandbox', webhookId: '01a23393-e3f3-748c-8bd9-8cc5cc0385c0', deliveryId: '1', rehearsalId: '01a23393-e3f3-748c-8bd9-8cc5cc0385c0' };
    routes = (await ApiDocument.of(shop)).routes;
  });
  afterAll(() => shop.close());

  const call = (as: Api, { method, path }: Route): Promise<Answer> => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? 'unknown-parameter');
    expect(filled).not.toContain('unknown-parameter');
    return as.call(method, filled, method === 'GET' || method === 'DELETE' ? undefined : {});
  };

  it('leaves five routes open to all', () => {
    expect(routes.filter((route) => !route.isGuarded).map(nameOf).sort()).toEqual([...OPEN_TO_ALL].sort());
  });

  it('refuses strangers everywhere else', async () => {
    const guarded = routes.filter((route) => !OPEN_TO_ALL.includes(nameOf(route)));
    expect(guarded.length).toBeGreaterThan(20);
    for (const route of guarded) {
      const expired = shop.api.as('x'.repeat(43));
      for (const stranger of [shop.api, expired]) await expectRefusal(shop, () => call(stranger, route), 401, 'UNAUTHENTICATED');
    }
  });

  it('refuses shoppers on every operator route', async () => {
    const operators = routes.filter(({ path }) => path.startsWith('/admin/'));
    expect(operators.length).toBeGreaterThan(14);
    for (const route of operators) await expectRefusal(shop, () => call(buyer, route), 403, 'FORBIDDEN');
  });

  it('judges the role before the body and before what the path names', async () => {
    await expectRefusal(shop, () => buyer.post('/admin/sales/999999/publish'), 403, 'FORBIDDEN');
    await expectRefusal(shop, () => buyer.post('/admin/goods', { listPriceMinor: 'free' }), 403, 'FORBIDDEN');
  });

  it('makes nobody an operator who registers or asks for it', async () => {
    const { body } = ok(await shop.api.post('/auth/register', { username: 'climber', password: 'climb climb climb' }), 201);
    expect(body.user.role).toBe('shopper');
    await expectRefusal(shop, () => shop.api.as(body.token).get('/admin/sales'), 403, 'FORBIDDEN');
  });

  it('lets an operator shop, too', async () => {
    const mine = await shop.sale();
    const { orderId } = await shop.buy(shop.operator, mine);
    expect(ok(await shop.operator.get(`/orders/${orderId}`), 200).body.status).toBe('awaiting_payment');
  });
});
