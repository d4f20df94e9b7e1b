import type { Answer } from '../harness/api.js';
import { converse } from '../harness/raw-http.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { expectProblem, expectRefusal } from './refusals.js';

const HEAD = 'host: shop\r\n';
const JSON_HEAD = `${HEAD}content-type: application/json\r\n`;
const CREDENTIALS = '{"username":"operator","password":"operator-demo"}';

describe('what is refused before the router sees it', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
  });
  afterAll(() => shop.close());

  const first = async (text: string): Promise<Answer> => {
    const [answer] = await converse(shop.api.base, text, { count: 1 });
    if (!answer) throw new Error('the connection was closed without an answer');
    return answer;
  };
  const login = (head: string, body = CREDENTIALS): string => `POST /api/auth/login HTTP/1.1\r\n${JSON_HEAD}${head}\r\n${body}`;

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'VALIDATION_FAILED'],
    ['two lengths', login(`content-length: 5\r\ncontent-length: 6\r\n`), 400, 'VALIDATION_FAILED'],
    ['a chunk without a size', login('transfer-encoding: chunked\r\n', 'zz\r\n'), 400, 'VALIDATION_FAILED'],
    ['an address that can not be decoded', `GET /api/sales/%E0%A4%A HTTP/1.1\r\n${HEAD}\r\n`, 400, 'VALIDATION_FAILED'],
    ['no host', 'GET /api/sales HTTP/1.1\r\n\r\n', 400, 'VALIDATION_FAILED'],
    ['headers beyond all measure', `GET /api/sales HTTP/1.1\r\n${HEAD}x: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['an expectation that nobody knows', login(`content-length: ${CREDENTIALS.length}\r\nexpect: a miracle\r\n`), 417, 'EXPECTATION_FAILED'],
    ['a transfer coding beside chunked', login('transfer-encoding: gzip, chunked\r\n', `${CREDENTIALS.length.toString(16)}\r\n${CREDENTIALS}\r\n0\r\n\r\n`), 501, 'NOT_IMPLEMENTED'],
    ['a tunnel', `CONNECT shop:443 HTTP/1.1\r\n${HEAD}\r\n`, 501, 'NOT_IMPLEMENTED'],
  ])('%s: a problem like any other', async (_what, text, status, code) => {
    const { headers } = await expectRefusal(shop, () => first(text), status, code);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('date')).not.toBeNull();
  });

  it('takes what an old client sends without a host', async () => {
    ok(await first('GET /api/sales HTTP/1.0\r\n\r\n'), 200);
  });

  it('goes on with a connection whose request it could read', async () => {
    const read = [`GET /api/sales HTTP/1.1\r\n\r\n`, login(`content-length: ${CREDENTIALS.length}\r\nexpect: a miracle\r\n`), login(`content-length: ${CREDENTIALS.length}\r\n`)];
    const answers = await converse(shop.api.base, read.join(''), { count: 3 });
    expect(answers.map(({ status }) => status)).toEqual([400, 417, 200]);
  });

  it.each([
    ['charset=latin1', 'content-type: application/json; charset=latin1\r\n'],
    ['charset="UTF-16"', 'content-type: application/json; charset="UTF-16"\r\n'],
    ['gzip', 'content-type: application/json\r\ncontent-encoding: gzip\r\n'],
  ])('takes no body in %s', async (_what, head) => {
    const sale: TestSale = await shop.sale();
    const [{ token } = { token: '' }] = await shop.tokens(1);
    const basket = JSON.stringify({ items: [{ itemId: sale.itemIds[0], quantity: 1 }] });
    const rest = `${HEAD}${head}authorization: Bearer ${token}\r\ncontent-length:`;
    await expectRefusal(shop, () => first(`POST /api/sales/${sale.id}/tickets HTTP/1.1\r\n${rest} ${basket.length}\r\n\r\n${basket}`), 415, 'UNSUPPORTED_MEDIA_TYPE');
    await expectRefusal(shop, () => first(`POST /api/auth/login HTTP/1.1\r\n${rest} ${CREDENTIALS.length}\r\n\r\n${CREDENTIALS}`), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each(['QUERY', 'TRACE', 'PROPFIND', 'M-SEARCH', 'PURGE', 'LINK'])('answers %s as any other method that is not there', async (method) => {
    for (const [path, allow] of [['/api/sales', 'GET, HEAD'], ['/api/auth/login', 'POST'], ['/api/sales/1/tickets', 'POST'], ['/api/sales/1/ticket', 'DELETE, GET, HEAD']]) {
      for (const body of ['\r\n', `content-type: text/plain\r\ncontent-length: 2\r\n\r\nhi`]) {
        const answer = await first(`${method} ${path} HTTP/1.1\r\n${HEAD}${body}`);
        expectProblem(answer, 405, 'METHOD_NOT_ALLOWED');
        expect(answer.headers.get('allow')).toBe(allow);
      }
    }
    expectProblem(await first(`${method} /api/nowhere HTTP/1.1\r\n${HEAD}\r\n`), 404, 'NOT_FOUND');
  });
});
