import { API_HEADERS, PAGE_HEADERS } from '../../src/infra/http/security-headers.js';
import { Shop } from '../harness/shop.js';

describe('the web pages', () => {
  let shop: Shop;
  let root: string;
  beforeAll(async () => {
    shop = await Shop.open();
    root = shop.api.base.replace(/\/api$/, '');
  });
  afterAll(() => shop.close());

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(root + path, { headers });
  const policyOf = (answer: Response): string | null => answer.headers.get('content-security-policy');
  /** The scripts and styles that a page names. */
  const assetsOf = (html: string): string[] => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');

  it.each(['/', '/?lang=zh', '/sales/1', '/orders', '/ops', '/ops/', '/ops/sales/1/orders'])('are at %s, and allow only what is their own', async (path) => {
    const answer = await get(path);
    expect({ status: answer.status, type: answer.headers.get('content-type'), cache: answer.headers.get('cache-control') }).toEqual({ status: 200, type: 'text/html; charset=utf-8', cache: 'no-cache' });
    expect(policyOf(answer)).toBe(PAGE_HEADERS['content-security-policy']);
    const html = await answer.text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    for (const asset of assetsOf(html)) expect((await get(asset)).status).toBe(200);
  });

  it('are two, the shop and the console', async () => {
    const [shopPage, consolePage] = await Promise.all(['/', '/ops'].map(async (path) => (await get(path)).text()));
    expect(shopPage).toContain('<title>Seckill</title>');
    expect(consolePage).toContain('<title>Seckill console</title>');
  });

  it('are asked for again only when they changed, their scripts never', async () => {
    const first = await get('/');
    const again = await get('/', { 'if-none-match': first.headers.get('etag') ?? '', 'cache-control': 'max-age=0' });
    expect(again.status).toBe(304);
    const [script = ''] = assetsOf(await first.text());
    expect((await get(script)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('come compressed to whoever takes that', async () => {
    const scripts = assetsOf(await (await get('/')).text());
    const encodings = await Promise.all(scripts.map(async (path) => (await get(path, { 'accept-encoding': 'br' })).headers.get('content-encoding')));
    expect(encodings).toContain('br');
  });

  it.each(['/assets/nothing.js', '/assets/../../package.json', '/assets/%2e%2e/%2e%2e/package.json', '/sales', '/sales/1/2', '/index.html', '/.env'])('are not at %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('leave the API its own headers', async () => {
    for (const path of ['/api/sales', '/api/nothing', '/health/live']) expect(policyOf(await get(path))).toBe(API_HEADERS['content-security-policy']);
  });
});
