import type { Answer, Api } from '../harness/api.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { ApiDocument } from './api-document.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

interface Seen {
  route: string;
  answer: Answer;
}

/** A purchase that calls every route once, with what each of them answered. */
async function callEverything(shop: Shop): Promise<Seen[]> {
  const seen: Seen[] = [];
  const call = async (as: Api, status: number, route: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = ok(await as.call(route.split(' ')[0] ?? '', path, body), status);
    seen.push({ route, answer });
    return answer;
  };
  const { operator, api } = shop;
  const goods = (await call(operator, 201, 'POST /admin/goods', '/admin/goods', { title: 'Kettle', listPriceMinor: 9_999_999_999, currency: 'EUR' })).body;
  await call(operator, 200, 'GET /admin/goods', '/admin/goods');
  await call(operator, 200, 'PATCH /admin/goods/{goodsId}', `/admin/goods/${goods.id}`, { title: 'Pot' });
  const items = [{ goodsId: goods.id, priceMinor: 9_999_999_999, stock: 5, limitPerUser: 1000 }];
  const sale = (await call(operator, 201, 'POST /admin/sales', '/admin/sales', { title: 'Sale', startsAt: '2020-01-01T01:00:00+01:00', endsAt: '2090-01-01T00:00:00Z', items })).body;
  const admin = `/admin/sales/${sale.id}`;
  await call(operator, 200, 'PATCH /admin/sales/{saleId}', admin, { title: 'Great sale' });
  for (const step of ['publish', 'preload', 'pause', 'resume']) await call(operator, 200, `POST /admin/sales/{saleId}/${step}`, `${admin}/${step}`);
  await call(operator, 200, 'POST /admin/sales/{saleId}/items/{itemId}/stock', `${admin}/items/${sale.items[0].id}/stock`, { delta: -1 });

  await call(operator, 200, 'PATCH /admin/sales/{saleId}/items/{itemId}', `${admin}/items/${sale.items[0].id}`, { limitPerUser: 999 });

  // Nobody listens there: the deliveries stay to be looked at.
  const webhook = (await call(operator, 201, 'POST /admin/webhooks', '/admin/webhooks', { url: 'http://127.0.0.1:9/' })).body;

  const credentials = { username: 'ada', password: 'correct horse battery' };
  await call(api, 201, 'POST /auth/register', '/auth/register', credentials);
  const shopper = api.as((await call(api, 200, 'POST /auth/login', '/auth/login', credentials)).body.token);
  await call(shopper, 200, 'GET /auth/me', '/auth/me');
  await call(api, 200, 'GET /sales', '/sales');
  await call(api, 200, 'GET /sales/{saleId}', `/sales/${sale.id}`);
  const basket = { items: [{ itemId: sale.items[0].id, quantity: 2 }] };
  await call(shopper, 202, 'POST /sales/{saleId}/tickets', `/sales/${sale.id}/tickets`, basket);
  await call(shopper, 200, 'GET /sales/{saleId}/ticket', `/sales/${sale.id}/ticket`);
  const { orderId } = await shop.ticketWhen(shopper, { id: sale.id, itemIds: [] }, ['awaiting_payment']);
  await call(shopper, 200, 'GET /sales/{saleId}/ticket', `/sales/${sale.id}/ticket`);
  await call(shopper, 200, 'POST /orders/{orderId}/pay', `/orders/${orderId}/pay`, {});
  await shop.ticketWhen(shopper, { id: sale.id, itemIds: [] }, ['paid']);
  await call(shopper, 200, 'GET /sales/{saleId}/ticket', `/sales/${sale.id}/ticket`);
  await call(shopper, 200, 'GET /orders/{orderId}', `/orders/${orderId}`);
  await call(shopper, 202, 'POST /sales/{saleId}/tickets', `/sales/${sale.id}/tickets`, basket);
  const second = await shop.ticketWhen(shopper, { id: sale.id, itemIds: [] }, ['awaiting_payment']);
  await call(shopper, 200, 'POST /orders/{orderId}/cancel', `/orders/${second.orderId}/cancel`);
  await call(operator, 200, 'POST /admin/orders/{orderId}/refund', `/admin/orders/${orderId}/refund`, {});
  await call(shopper, 200, 'GET /orders', '/orders');
  for (const view of ['stats', 'series', 'readiness', 'proof', 'audit', 'report']) await call(operator, 200, `GET /admin/sales/{saleId}/${view}`, `${admin}/${view}`);
  await call(operator, 200, 'GET /admin/orders', `/admin/orders?saleId=${sale.id}`);
  await call(operator, 200, 'GET /admin/orders/{orderId}', `/admin/orders/${orderId}`);
  await until('a delivery', async () => (await operator.get(`/admin/webhooks/${webhook.id}/deliveries`)).body.deliveries.length > 0);
  await call(operator, 200, 'GET /admin/webhooks', '/admin/webhooks');
  await call(operator, 200, 'GET /admin/webhooks/{webhookId}/deliveries', `/admin/webhooks/${webhook.id}/deliveries`);
  await call(operator, 200, 'POST /admin/webhooks/{webhookId}/replay', `/admin/webhooks/${webhook.id}/replay`);
  await call(operator, 200, 'GET /admin/sales/{saleId}', admin);
  await call(operator, 200, 'GET /admin/sales', '/admin/sales');
  await call(operator, 200, 'POST /admin/sales/{saleId}/end', `${admin}/end`);
  const rehearsal = (await call(operator, 202, 'POST /admin/rehearsals', '/admin/rehearsals', { shoppers: 2, stock: 1 })).body;
  await until('the rehearsal to end', async () => (await operator.get(`/admin/rehearsals/${rehearsal.id}`)).body.state !== 'running', 30_000);
  await call(operator, 200, 'GET /admin/rehearsals/{rehearsalId}', `/admin/rehearsals/${rehearsal.id}`);
  await call(operator, 200, 'GET /admin/rehearsals', '/admin/rehearsals');
  return seen;
}

describe('the form of the answers', () => {
  let shop: Shop;
  let document: ApiDocument;
  let seen: Seen[];
  beforeAll(async () => {
    shop = await Shop.open({ WEBHOOK_ALLOW_PRIVATE: '1' });
    document = await ApiDocument.of(shop);
    seen = await callEverything(shop);
  });
  afterAll(() => shop.close());

  it('was looked at on every route that answers JSON, but the one that only providers call', () => {
    const json = document.routes.filter(({ answers }) => Object.values(answers).some((media) => media.includes('application/json'))).map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(seen.map(({ route }) => route))].sort()).toEqual(json.filter((route) => route !== 'POST /payments/{provider}/webhook').sort());
  });

  it('is JSON, and what the document says', () => {
    for (const { route, answer } of seen) {
      const [method = '', path = ''] = route.split(' ');
      expect([route, answer.headers.get('content-type')]).toEqual([route, 'application/json; charset=utf-8']);
      expect([route, document.faultsOf(method, path, answer.status, answer.body)]).toEqual([route, []]);
    }
  });

  it('has ids as strings, times in UTC, money as integers with a currency', () => {
    const members = seen.flatMap(({ route, answer }) => membersOf(answer.body, route));
    const count = { id: 0, time: 0, money: 0 };
    for (const { at, name, value, owner } of members) {
      if (/^id$|Id$/.test(name)) {
        count.id += 1;
        expect([at, typeof value]).toEqual([at, 'string']);
      } else if (/At$|^payBefore$|Time$/.test(name)) {
        count.time += 1;
        expect([at, value]).toEqual([at, expect.stringMatching(TIME)]);
      } else if (/Minor$/.test(name)) {
        count.money += 1;
        expect([at, Number.isSafeInteger(value)]).toEqual([at, true]);
        if (name !== 'unitPriceMinor') expect([at, owner['currency']]).toEqual([at, 'EUR']);
      }
    }
    for (const found of Object.values(count)) expect(found).toBeGreaterThan(30);
  });

  it('has nothing that is null or empty where it could be left out', () => {
    const nullable = ['description', 'imageUrl', 'free'];
    const empty = seen.flatMap(({ route, answer }) => membersOf(answer.body, route)).filter(({ name, value }) => value === null && !nullable.includes(name));
    expect(empty).toEqual([]);
  });
});

interface Member {
  at: string;
  name: string;
  value: unknown;
  owner: Record<string, unknown>;
}

function membersOf(value: unknown, at: string): Member[] {
  if (Array.isArray(value)) return value.flatMap((entry, i) => membersOf(entry, `${at}.${i}`));
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Record<string, unknown>;
  return Object.entries(owner).flatMap(([name, member]) => [{ at: `${at}.${name}`, name, value: member, owner }, ...membersOf(member, `${at}.${name}`)]);
}
