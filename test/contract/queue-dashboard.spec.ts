import { PAGE_HEADERS } from '../../src/infra/http/security-headers.js';
import { type Api } from '../harness/api.js';
import { ok, Shop } from '../harness/shop.js';

const DASHBOARD = '/ops/queues';

describe("Bull's dashboard", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> => fetch(`${shop.origin}${path}`, { method, headers });
  /** As the browser of somebody who came by the console sends it. */
  const cookieOf = async (who: Api): Promise<string> => {
    const { headers } = ok(await who.post('/admin/queues/session'), 204);
    return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  };
  const codeOf = async (answer: Response): Promise<unknown> => ({ status: answer.status, ...((await answer.json()) as object) });

  it('lets in who has the cookie that operators are given, with all its parts', async () => {
    const cookie = await cookieOf(shop.operator);
    const page = await ask(DASHBOARD, { cookie });
    expect({ status: page.status, policy: page.headers.get('content-security-policy') }).toEqual({ status: 200, policy: PAGE_HEADERS['content-security-policy'] });
    const html = await page.text();
    expect(html).not.toMatch(/(href|src)="https?:/);
    const [script = ''] = /static\/js\/[^"]+/.exec(html) ?? [];
    expect((await ask(`${DASHBOARD}/${script}`, { cookie })).status).toBe(200);
    const { queues } = (await (await ask(`${DASHBOARD}/api/queues`, { cookie })).json()) as { queues: { name: string }[] };
    expect(queues.map(({ name }) => name).sort()).toEqual(['drain', 'expiry']);
  });

  it('gives the cookie to the dashboard alone, out of reach of scripts and other sites', async () => {
    const { headers } = ok(await shop.operator.post('/admin/queues/session'), 204);
    const parts = (headers.get('set-cookie') ?? '').split('; ').slice(1).sort();
    expect(parts).toEqual(['HttpOnly', 'Max-Age=86400', 'Path=/ops/queues', 'SameSite=Strict']);
  });

  it.each(['', '/', '/api/queues', '/static/nothing.js', '/queue/drain'])('keeps strangers out of %s', async (path) => {
    expect(await codeOf(await ask(DASHBOARD + path))).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await codeOf(await ask(DASHBOARD + path, { cookie: 'seckill_queues=nonsense' }))).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  it('keeps shoppers out, also one who makes a cookie of the own token', async () => {
    const [{ token } = { token: '' }] = await shop.tokens(1);
    expect((await shop.api.as(token).post('/admin/queues/session')).status).toBe(403);
    expect(await codeOf(await ask(DASHBOARD, { cookie: `seckill_queues=${token}` }))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('takes orders from its own pages only', async () => {
    const cookie = await cookieOf(shop.operator);
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect(await codeOf(await ask(`${DASHBOARD}/api/queues/expiry/pause`, { cookie, 'sec-fetch-site': site }, 'PUT'))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    }
    for (const origin of ['https://elsewhere.example', 'null']) {
      expect(await codeOf(await ask(`${DASHBOARD}/api/queues/expiry/pause`, { cookie, origin }, 'PUT'))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    }
    expect((await ask(`${DASHBOARD}/api/queues/expiry/pause`, { cookie, origin: shop.origin }, 'PUT')).status).toBe(200);
    expect((await ask(`${DASHBOARD}/api/queues/expiry/pause`, { cookie, 'sec-fetch-site': 'same-origin' }, 'PUT')).status).toBe(200);
    expect((await ask(`${DASHBOARD}/api/queues/expiry/resume`, { cookie, 'sec-fetch-site': 'same-origin' }, 'PUT')).status).toBe(200);
  });

  it('is closed with the session', async () => {
    const { body } = ok(await shop.api.post('/auth/login', { username: 'operator', password: 'operator-demo' }), 200);
    const operator = shop.api.as(body.token);
    const cookie = await cookieOf(operator);
    ok(await operator.post('/auth/logout'), 204);
    expect((await ask(DASHBOARD, { cookie })).status).toBe(401);
  });
});
