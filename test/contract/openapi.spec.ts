import { ERROR_STATUS, type ErrorCode } from '../../src/infra/errors.js';
import { Shop } from '../harness/shop.js';
import { ApiDocument, type Route, type Schema } from './api-document.js';

/** Each call of the contract: its success, and the refusals a client has to tell apart. */
const CONTRACT: Record<string, [success: number, ...codes: ErrorCode[]]> = {
  'POST /auth/register': [201, 'VALIDATION_FAILED', 'USERNAME_TAKEN'],
  'POST /auth/login': [200, 'VALIDATION_FAILED', 'INVALID_CREDENTIALS'],
  'POST /auth/logout': [204],
  'GET /auth/me': [200],
  'GET /sales': [200, 'VALIDATION_FAILED'],
  'GET /sales/{saleId}': [200, 'SALE_NOT_FOUND'],
  'POST /sales/{saleId}/tickets': [
    202, 'INVALID_BASKET', 'SALE_NOT_FOUND', 'ITEM_NOT_FOUND', 'ALREADY_QUEUED', 'UNPAID_ORDER', 'LIMIT_REACHED', 'NOT_STARTED', 'PAUSED', 'SOLD_OUT', 'ENDED', 'NOT_LOADED', 'UNAVAILABLE',
  ],
  'GET /sales/{saleId}/ticket': [200, 'SALE_NOT_FOUND', 'NO_TICKET', 'NOT_LOADED', 'UNAVAILABLE'],
  'GET /sales/{saleId}/ticket/events': [200, 'SALE_NOT_FOUND', 'NO_TICKET', 'TOO_MANY_REQUESTS', 'NOT_LOADED', 'UNAVAILABLE'],
  'DELETE /sales/{saleId}/ticket': [204, 'SALE_NOT_FOUND', 'NO_TICKET', 'TICKET_CLAIMED', 'NOT_LOADED', 'UNAVAILABLE'],
  'GET /orders': [200, 'VALIDATION_FAILED'],
  'GET /orders/{orderId}': [200, 'ORDER_NOT_FOUND'],
  'POST /orders/{orderId}/pay': [200, 'VALIDATION_FAILED', 'ORDER_NOT_FOUND', 'ORDER_NOT_PAYABLE'],
  'POST /orders/{orderId}/cancel': [200, 'VALIDATION_FAILED', 'ORDER_NOT_FOUND', 'ORDER_NOT_CANCELLABLE'],
  'POST /payments/{provider}/webhook': [200, 'INVALID_SIGNATURE', 'NOT_FOUND'],
  'POST /admin/goods': [201, 'VALIDATION_FAILED'],
  'GET /admin/goods': [200, 'VALIDATION_FAILED'],
  'PATCH /admin/goods/{goodsId}': [200, 'VALIDATION_FAILED', 'GOODS_NOT_FOUND', 'SALE_STATE_CONFLICT'],
  'POST /admin/sales': [201, 'VALIDATION_FAILED', 'GOODS_NOT_FOUND'],
  'GET /admin/sales': [200, 'VALIDATION_FAILED'],
  'GET /admin/sales/{saleId}': [200, 'SALE_NOT_FOUND'],
  'PATCH /admin/sales/{saleId}': [200, 'VALIDATION_FAILED', 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT'],
  'POST /admin/sales/{saleId}/publish': [200, 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT'],
  'POST /admin/sales/{saleId}/preload': [200, 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT'],
  'POST /admin/sales/{saleId}/pause': [200, 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT'],
  'POST /admin/sales/{saleId}/resume': [200, 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT'],
  'POST /admin/sales/{saleId}/end': [200, 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT'],
  'POST /admin/sales/{saleId}/items/{itemId}/stock': [200, 'VALIDATION_FAILED', 'SALE_NOT_FOUND', 'ITEM_NOT_FOUND', 'STOCK_HELD', 'NOT_LOADED'],
  'DELETE /admin/sales/{saleId}': [204, 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT'],
  'GET /admin/orders': [200, 'VALIDATION_FAILED'],
  'GET /admin/orders/{orderId}': [200, 'ORDER_NOT_FOUND'],
  'POST /admin/orders/{orderId}/refund': [200, 'VALIDATION_FAILED', 'ORDER_NOT_FOUND', 'ORDER_NOT_REFUNDABLE', 'IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED'],
  'POST /admin/webhooks': [201, 'VALIDATION_FAILED', 'WEBHOOK_URL_REFUSED', 'TOO_MANY_WEBHOOKS'],
  'GET /admin/webhooks': [200],
  'DELETE /admin/webhooks/{webhookId}': [204, 'WEBHOOK_NOT_FOUND'],
  'GET /admin/webhooks/{webhookId}/deliveries': [200, 'VALIDATION_FAILED', 'WEBHOOK_NOT_FOUND'],
  'POST /admin/webhooks/{webhookId}/replay': [200, 'VALIDATION_FAILED', 'WEBHOOK_NOT_FOUND'],
  'DELETE /admin/webhooks/{webhookId}/deliveries/{deliveryId}': [204, 'WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'DELIVERY_NOT_DEAD'],
  'GET /admin/sales/{saleId}/stats': [200, 'SALE_NOT_FOUND'],
  'GET /admin/sales/{saleId}/series': [200, 'VALIDATION_FAILED', 'SALE_NOT_FOUND'],
  'GET /admin/sales/{saleId}/proof': [200, 'SALE_NOT_FOUND'],
  'GET /admin/sales/{saleId}/orders.csv': [200, 'SALE_NOT_FOUND'],
};

describe('the OpenAPI document', () => {
  let shop: Shop;
  let document: ApiDocument;
  let routes: Map<string, Route>;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    document = await ApiDocument.of(shop);
    routes = new Map(document.routes.map((route) => [`${route.method} ${route.path}`, route]));
  });
  afterAll(() => shop.close());

  it('has every call of the contract', () => {
    expect([...routes.keys()]).toEqual(expect.arrayContaining(Object.keys(CONTRACT)));
  });

  it('says of every call what it does', () => {
    expect(document.routes.filter(({ summary }) => !summary).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it.each(Object.entries(CONTRACT))('names the answers of %s', (name, [success, ...codes]) => {
    const route = routes.get(name);
    const [ending = ''] = /\.csv$|\/events$/.exec(name) ?? [];
    const media = success === 204 ? [] : [{ '.csv': 'text/csv', '/events': 'text/event-stream' }[ending] ?? 'application/json'];
    expect(route?.answers[success]).toEqual(media);
    expect(route?.codes).toEqual(expect.arrayContaining(codes));
  });

  it('gives every route an answer that succeeds, and every refusal its status and form', () => {
    for (const [name, { answers, codes }] of routes) {
      const refusals = Object.entries(answers).filter(([status]) => Number(status) >= 400);
      const successes = Object.keys(answers).filter((status) => Number(status) < 300);
      // A stream that would have nothing to say does not begin.
      expect([name, successes]).toEqual([name, name.endsWith('/events') ? ['200', '204'] : [expect.any(String)]]);
      for (const [status, media] of refusals) expect([name, status, media]).toEqual([name, status, ['application/problem+json']]);
      for (const code of codes.filter((word): word is ErrorCode => word in ERROR_STATUS)) expect([name, code, answers[ERROR_STATUS[code]]]).toEqual([name, code, ['application/problem+json']]);
    }
  });

  it('says which routes want a token, and which want an operator', () => {
    for (const [name, { path, codes, isGuarded }] of routes) {
      const expected = { isGuarded, unauthenticated: isGuarded, forbidden: path.startsWith('/admin/') };
      expect([name, { isGuarded, unauthenticated: codes.includes('UNAUTHENTICATED'), forbidden: codes.includes('FORBIDDEN') }]).toEqual([name, expected]);
    }
  });

  it('knows every error code', () => {
    expect(document.schemas['ErrorCode']?.enum).toEqual(Object.keys(ERROR_STATUS));
  });

  it('shows ids as strings, money as integers and times as times', () => {
    const properties = Object.entries(document.schemas).flatMap(([name, { properties: members = {} }]) => Object.entries(members).map(([member, schema]): [string, string, Schema] => [name, member, schema]));
    const wrong = properties.filter(([, member, { type, format }]) => {
      if (/^id$|Id$/.test(member)) return type !== 'string';
      if (/Minor$/.test(member)) return type !== 'integer';
      return /At$|^payBefore$|Time$/.test(member) && format !== 'date-time';
    });
    expect(wrong).toEqual([]);
    expect(properties.length).toBeGreaterThan(80);
  });

  it('is there to read for people, too', async () => {
    const page = await fetch(new URL('/docs', shop.api.base));
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  });
});
