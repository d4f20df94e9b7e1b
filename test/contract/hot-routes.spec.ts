import { ok, Shop, type TestSale } from '../harness/shop.js';

/** A query is no plain address, so the controller answers behind all of Nest. */
const BESIDE = '?beside=nest';

describe('the routes that are answered beside Nest', () => {
  let shop: Shop;
  let sale: TestSale;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    sale = await shop.sale({ mode: 'instant', items: [{ stock: 1 }] });
  });
  afterAll(() => shop.close());

  const basket = (): object => ({ items: [{ itemId: sale.itemIds[0], quantity: 1 }] });

  it('no longer tell a ticket once the session is closed', async () => {
    const [{ token } = { token: '' }] = await shop.tokens(1);
    const shopper = shop.api.as(token);
    ok(await shopper.post(`/sales/${sale.id}/tickets`, basket()), 202);
    ok(await shopper.get(`/sales/${sale.id}/ticket`), 200);
    ok(await shopper.post('/auth/logout'), 204);
    ok(await shopper.get(`/sales/${sale.id}/ticket`), 401);
  });

  it('answer as the controllers do, whatever they are asked', async () => {
    const [{ token } = { token: '' }] = await shop.tokens(1);
    const calls = [shop.api, shop.api.as('no token'), shop.api.as('x'.repeat(43)), shop.api.as(token)].flatMap((api) =>
      [basket(), { items: [] }, { ...basket(), more: 1 }, '{"items":', '[]', '', { items: [{ itemId: '999999', quantity: 1 }] }].map((body) => ({ api, body })),
    );
    for (const { api, body } of calls) {
      const [hot, nest] = [await api.post(`/sales/${sale.id}/tickets`, body), await api.post(`/sales/${sale.id}/tickets${BESIDE}`, body)];
      // The one that says nothing of the shopper may be told to a stranger.
      if (hot.body.code === 'SOLD_OUT' && nest.body.code === 'UNAUTHENTICATED') continue;
      expect(essence(hot)).toEqual(essence(nest));
    }
    const [hot, nest] = [await shop.api.as(token).get(`/sales/${sale.id}/ticket`), await shop.api.as(token).get(`/sales/${sale.id}/ticket${BESIDE}`)];
    expect(essence(hot)).toEqual(essence(nest));
  });
});

const VARYING = ['date', 'x-request-id', 'content-length', 'connection', 'keep-alive'];

function essence({ status, headers, body }: { status: number; headers: Headers; body: unknown }): object {
  const kept = [...headers].filter(([name]) => !VARYING.includes(name)).sort(([a], [b]) => a.localeCompare(b));
  return { status, headers: kept, body: { ...(body as object), requestId: '' } };
}
