import { request } from 'node:http';
import { Api, type Answer } from '../harness/api.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { expectProblem, expectRefusal } from './refusals.js';

const LIMIT = 64 * 1024;

describe('the HTTP manners', () => {
  let shop: Shop;
  let root: Api;
  beforeAll(async () => {
    shop = await Shop.open();
    root = new Api(shop.api.base.replace(/\/api$/, ''));
  });
  afterAll(() => shop.close());

  const login = (body: unknown, headers?: Record<string, string>): Promise<Answer> => shop.api.call('POST', '/auth/login', body, headers);

  it.each(['/nowhere', '/api', '/api/nowhere', '/api/sales/1/tickets/2', '/api//sales', '/health', '/docs/../api/x', '/API/sales', '/.env', '/api/admin'])('answer %s, which is not there, with a problem', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) await expectRefusal(shop, () => root.call(method, path), 404, 'NOT_FOUND');
  });

  it('answer a wrong method with the right ones', async () => {
    for (const [method, path, allow] of [
      ['GET', '/auth/login', 'POST'], ['PUT', '/auth/login', 'POST'], ['DELETE', '/sales', 'GET, HEAD'], ['POST', '/sales/1', 'GET, HEAD'],
      ['PUT', '/sales/1/ticket', 'DELETE, GET, HEAD'], ['GET', '/orders/1/pay', 'POST'], ['PUT', '/admin/sales/1', 'DELETE, GET, HEAD, PATCH'],
    ] as const) {
      const { headers } = await expectRefusal(shop, () => shop.operator.call(method, path), 405, 'METHOD_NOT_ALLOWED');
      expect(headers.get('allow')?.split(', ').sort().join(', ')).toBe(allow);
    }
  });

  it('answer an address that is none with a problem', async () => {
    const { body } = await expectRefusal(shop, () => root.get('/nothing'), 404, 'NOT_FOUND');
    expect(body.detail).toBe('Cannot GET /nothing: /docs lists the calls there are.');
    await expectRefusal(shop, () => root.get('/api/sales/%E0%A4%A'), 400, 'VALIDATION_FAILED');
    await expectRefusal(shop, () => root.get(`/api/sales/${'1'.repeat(5000)}`), 404, 'NOT_FOUND');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data; boundary=x', 'application/json-patch+json', 'nonsense', 'application/octet-stream'])(
    'do not take a body of type %s',
    async (type) => {
      for (const body of ['username=operator&password=operator-demo', '{"username":"operator","password":"operator-demo"}']) {
        const refused = await expectRefusal(shop, () => login(body, { 'content-type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE');
        expect(refused.body.detail).toBe('A body must be JSON, with the header content-type: application/json.');
      }
    },
  );

  it('refuse fields where a call takes none', async () => {
    const sale = await shop.sale();
    const draft = ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`, {}), 200).body;
    expect(draft.id).toBe(sale.id);
    const calls: [method: string, path: string][] = [
      ...['publish', 'preload', 'resume', 'end'].map((action): [string, string] => ['POST', `/admin/sales/${sale.id}/${action}`]),
      ['DELETE', `/admin/sales/${sale.id}`], ['POST', '/orders/1/cancel'], ['POST', '/auth/logout'], ['DELETE', `/sales/${sale.id}/ticket`],
    ];
    for (const [method, path] of calls) {
      const { body } = await expectRefusal(shop, () => shop.operator.call(method, path, { extra: 1 }), 400, 'VALIDATION_FAILED');
      expect([path, body.errors]).toEqual([path, [{ field: 'extra', message: 'extra is not a known field' }]]);
      await expectRefusal(shop, () => shop.operator.call(method, path, [1]), 400, 'VALIDATION_FAILED');
    }
  });

  it('take JSON with a charset', async () => {
    const body = { username: 'operator', password: 'operator-demo' };
    ok(await login(body, { 'content-type': 'application/json; charset=utf-8' }), 200);
    ok(await login(body, { 'content-type': 'APPLICATION/JSON' }), 200);
  });

  it('take bodies of 64 KiB and not one byte more', async () => {
    const bodyOf = (bytes: number): string => `{"username":"${'x'.repeat(bytes - 15)}"}`;
    expect(Buffer.byteLength(bodyOf(LIMIT))).toBe(LIMIT);
    await expectRefusal(shop, () => login(bodyOf(LIMIT)), 400, 'VALIDATION_FAILED');
    await expectRefusal(shop, () => login(bodyOf(LIMIT + 1)), 413, 'BODY_TOO_LARGE');
    const shopper = await shop.shopper();
    await expectRefusal(shop, () => shopper.post('/sales/1/tickets', bodyOf(LIMIT * 20)), 413, 'BODY_TOO_LARGE');
    await expectRefusal(shop, () => shop.api.post('/payments/sandbox/webhook', bodyOf(LIMIT + 1)), 413, 'BODY_TOO_LARGE');
  });

  it('stop reading a body that does not say its length', async () => {
    const { status, body } = await chunked(`${shop.api.base}/auth/login`, 'x'.repeat(16 * 1024), 8);
    expect([status, body.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it.each(['{', '{"username":"a"', "{'username':'a'}", '{"username":undefined}', 'username', '{"username":"a"}x', '\u0000', '{"__proto__":{"role":"operator"}}', '{"constructor":{"prototype":{"x":1}}}'])(
    'refuse %j as JSON',
    async (body) => {
      await expectRefusal(shop, () => login(body), 400, 'VALIDATION_FAILED');
    },
  );

  it('name the place of each fault', async () => {
    const { body } = await expectRefusal(shop, () => shop.operator.post('/admin/sales', { title: '', items: [{ goodsId: '1', priceMinor: -1, stock: 1, limitPerUser: 1 }] }), 400, 'VALIDATION_FAILED');
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['title', 'startsAt', 'endsAt', 'items.0.priceMinor']);
  });

  it('give every answer an id of its own and headers that keep browsers safe', async () => {
    const answers = [await root.get('/api/sales'), await root.get('/api/nowhere'), await root.get('/health/live'), await root.get('/docs'), await login('{')];
    for (const { headers } of answers) {
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-powered-by')).toBeNull();
    }
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(answers.length);
  });

  it('let pages load what is their own, and everything else nothing at all', async () => {
    const policyOf = async (path: string): Promise<string | null> => (await root.get(path)).headers.get('content-security-policy');
    expect(await policyOf('/docs')).toContain("default-src 'self'");
    expect(await policyOf('/docs')).not.toContain('upgrade-insecure-requests');
    for (const path of ['/api/sales', '/api/sales/1/ticket', '/api/nowhere', '/metrics']) expect(await policyOf(path)).toBe("default-src 'none';frame-ancestors 'none'");
  });

  it('do not take a request id or a user from the caller', async () => {
    const { headers } = await root.get('/api/sales', { 'x-request-id': 'mine', 'request-id': 'mine', 'x-user-id': '1' });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('say that the process lives and is ready', async () => {
    expect(ok(await root.get('/health/live'), 200).body).toEqual({ status: 'ok' });
    expect(ok(await root.get('/health/ready'), 200).body).toMatchObject({ status: 'ok', details: { redis: { status: 'up' }, database: { status: 'up' } } });
  });

  it('show figures to Prometheus', async () => {
    const sale = await shop.sale();
    const shopper = await shop.shopper();
    await shop.buy(shopper, sale);
    await shop.join(shopper, sale);
    const { headers, body } = ok(await root.get('/metrics'), 200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of [/^seckill_joins_total\{outcome="queued"\} 1$/m, /^seckill_joins_total\{outcome="UNPAID_ORDER"\} 1$/m, /^seckill_tickets_decided_total\{outcome="ordered"\} 1$/m, /^process_cpu_seconds_total /m, /^seckill_drain_batch_seconds_count 1$/m]) {
      expect(body).toMatch(line);
    }
  });

  it('answer UNAVAILABLE while Redis does not answer, and go on when it does', async () => {
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const pause = shop.redis.client('PAUSE', 1500);
    const answers = await Promise.all([shop.join(shopper, sale), shopper.get(`/sales/${sale.id}/ticket`), shopper.get('/auth/me'), root.get('/health/ready')]);
    await pause;
    for (const answer of answers) expectProblem(answer, 503, 'UNAVAILABLE');
    expect(ok(await root.get('/health/live'), 200).body).toEqual({ status: 'ok' });
    await until('Redis to answer', async () => (await root.get('/health/ready')).status === 200);
    await shop.buy(shopper, sale);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1 }] });
  });
});

/** Posts JSON in chunks, without a content length, until the server answers. */
function chunked(url: string, chunk: string, times: number): Promise<{ status: number; body: { code: string } }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => { text += part; });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    call.on('error', reject);
    for (let i = 0; i < times; i += 1) call.write(chunk);
    call.end();
  });
}

describe('a body that is nested deeper than any form here', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
  });
  afterAll(() => shop.close());

  it.each([21, 2000, 30_000])('is refused at %i levels', async (levels) => {
    const nested = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const answer = await shop.api.post('/auth/login', `{"username":${nested},"password":"correct-horse"}`, { 'content-type': 'application/json' });
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});
