import { answersIn, CUT, exchange, type RawAnswer } from '../harness/raw-http.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';

/** A query is no plain address, so the controller answers behind all of Nest. */
const BESIDE = '?beside=nest';
const JSON_TYPE = 'content-type: application/json';

describe('the routes that are answered beside Nest', () => {
  let shop: Shop;
  let sale: TestSale;
  let tokens: string[];
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    sale = await shop.sale({ mode: 'instant', items: [{ stock: 1000 }] });
    tokens = (await shop.tokens(300)).map(({ token }) => token);
  });
  afterAll(() => shop.close());

  const nextToken = (): string => tokens.pop() ?? '';
  const basket = (of = sale, quantity = 1): string => JSON.stringify({ items: [{ itemId: of.itemIds[0], quantity }] });
  const joins = (of = sale): string => `/sales/${of.id}/tickets`;
  const bearer = (token: string): string => `authorization: Bearer ${token}`;
  /** Sends a request whose parts arrive one by one, and answers all that comes back. */
  const send = async (...parts: string[]): Promise<RawAnswer[]> => answersIn(await exchange(shop.api.base, ...parts));
  /** The last answer, to a request on a connection of its own. */
  const ask = async (method: string, path: string, headers: string[], ...body: string[]): Promise<RawAnswer> => {
    const answer = (await send(requestOf(method, path, ['connection: close', ...headers]), ...body)).at(-1);
    if (!answer) throw new Error(`${method} ${path} was not answered`);
    return answer;
  };
  const sized = (body: string, type = JSON_TYPE): string[] => [...(type === '' ? [] : [type]), `content-length: ${Buffer.byteLength(body)}`];
  const join = (path: string, headers: string[], body: string, type?: string): Promise<RawAnswer> => ask('POST', path, [...headers, ...sized(body, type)], body);
  /** Makes the same call of both, and expects the same answer. */
  const same = async (call: (suffix: string) => Promise<RawAnswer>): Promise<RawAnswer> => {
    const [hot, nest] = [await call(''), await call(BESIDE)];
    expect(essence(hot)).toEqual(essence(nest));
    return hot;
  };

  it('no longer tell a ticket once the session is closed', async () => {
    const shopper = shop.api.as(nextToken());
    ok(await shopper.post(joins(), basket()), 202);
    ok(await shopper.get(`/sales/${sale.id}/ticket`), 200);
    ok(await shopper.post('/auth/logout'), 204);
    ok(await shopper.get(`/sales/${sale.id}/ticket`), 401);
  });

  it('take a join and tell its ticket as the controllers do', async () => {
    expect((await same((suffix) => join(`${joins()}${suffix}`, [bearer(nextToken())], basket()))).status).toBe(202);
    const token = nextToken();
    expect(JSON.parse((await same((suffix) => ask('GET', `/sales/${sale.id}/ticket${suffix}`, [bearer(token)]))).body).code).toBe('NO_TICKET');
    ok(await shop.api.as(token).post(joins(), basket()), 202);
    expect((await same((suffix) => ask('GET', `/sales/${sale.id}/ticket${suffix}`, [bearer(token)]))).status).toBe(200);
    expect((await same((suffix) => join(`${joins()}${suffix}`, [bearer(token)], basket()))).status).toBe(409);
  });

  it('refuse a sale or an item as the controllers do', async () => {
    const [far, paused, soldOut] = [await shop.sale({ startsInMs: 3_600_000, endsInMs: 7_200_000 }), await shop.sale(), await shop.sale({ mode: 'instant', items: [{ stock: 1 }] })];
    ok(await shop.operator.post(`/admin/sales/${paused.id}/pause`), 200);
    ok(await shop.api.as(nextToken()).post(joins(soldOut), basket(soldOut)), 202);
    const unknown = { id: '999999', itemIds: ['1'] };
    const strange = { id: sale.id, itemIds: ['999999'] };
    const wanted: [TestSale, number, number][] = [[far, 1, 403], [paused, 1, 403], [soldOut, 1, 410], [unknown, 1, 404], [strange, 1, 404], [sale, 900, 409]];
    for (const [of, quantity, status] of wanted) {
      expect([of.id, (await same((suffix) => join(`${joins(of)}${suffix}`, [bearer(nextToken())], basket(of, quantity)))).status]).toEqual([of.id, status]);
    }
  });

  it.each([
    ['no JSON', '{"items":'], ['nothing but a word', 'items'], ['a list', '[]'], ['null', 'null'], ['no lines', '{"items":[]}'], ['another field', '{"items":[{"itemId":"1","quantity":1}],"more":1}'],
    ['a fraction', '{"items":[{"itemId":"1","quantity":1.5}]}'], ['a prototype', '{"items":[{"itemId":"1","quantity":1}],"__proto__":{}}'], ['a constructor', '{"constructor":{"prototype":{}}}'],
    ['the same item twice', '{"items":[{"itemId":"1","quantity":1},{"itemId":"1","quantity":1}]}'], ['a byte order mark', '\u00ef\u00bb\u00bf{"items":[]}'], ['deep nesting', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['blanks', '   '], ['what is not UTF-8', '{"items":[{"itemId":"\u00ff","quantity":1}]}'],
  ])('refuse a body with %s as the controllers do', async (_, body) => {
    const headers = [bearer(nextToken()), JSON_TYPE, `content-length: ${body.length}`];
    expect((await same((suffix) => ask('POST', `${joins()}${suffix}`, headers, body))).status).toBe(400);
    expect([400, 401]).toContain((await same((suffix) => ask('POST', `${joins()}${suffix}`, headers.slice(1), body))).status);
  });

  it.each(['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json;charset=UTF-8', 'application/json ; charset="utf-8"', 'application/json; charset=latin1', 'application/json; q=1'])(
    'take a body of type %s as the controllers do',
    async (type) => {
      await same((suffix) => join(`${joins()}${suffix}`, [bearer(nextToken())], basket(), `content-type: ${type}`));
    },
  );

  it.each(['', 'content-type: text/plain', 'content-type: application/jsonp', 'content-type: application/json-patch+json', 'content-type: nonsense', 'content-type:', 'content-type: text/plain\r\ncontent-type: application/json'])(
    'refuse a body of type %j as the controllers do',
    async (type) => {
      expect((await same((suffix) => join(`${joins()}${suffix}`, [bearer(nextToken())], basket(), type))).status).toBe(415);
    },
  );

  it('let in whoever the controllers let in', async () => {
    const odd: ((token: string) => string[])[] = [
      () => [], () => ['authorization: Bearer'], () => ['authorization: Basic eDp5'], () => [bearer('x'.repeat(43))], () => [bearer('no token')],
      (token) => [`authorization: ${token}`], (token) => [`authorization: bearer   ${token}`], (token) => [bearer('x'), bearer(token)], (token) => [bearer(token), bearer('x')],
    ];
    for (const headersOf of odd) {
      await same((suffix) => join(`${joins()}${suffix}`, headersOf(nextToken()), basket()));
      await same((suffix) => ask('GET', `/sales/${sale.id}/ticket${suffix}`, headersOf(nextToken())));
    }
  });

  it('know an idempotency key as the controllers do', async () => {
    const token = nextToken();
    const first = await same((suffix) => join(`${joins()}${suffix}`, [bearer(token), 'idempotency-key: mine'], basket()));
    const again = await join(joins(), [bearer(token), 'idempotency-key: mine'], basket());
    expect(again.body).toBe(first.body);
    expect((await same((suffix) => join(`${joins()}${suffix}`, [bearer(token), 'idempotency-key: mine'], basket(sale, 2)))).status).toBe(422);
    for (const key of ['', ' ', 'x'.repeat(256), 'x\u00e9', 'a\r\nidempotency-key: b']) await same((suffix) => join(`${joins()}${suffix}`, [bearer(nextToken()), `idempotency-key: ${key}`], basket()));
  });

  it('read a body however it comes', async () => {
    const chunks = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const long = `${' '.repeat(5000)}${basket()}`;
    const ways: [headers: string[], body: string[], status: number][] = [
      [sized(basket()), [...basket()], 202],
      [[JSON_TYPE, 'transfer-encoding: chunked'], [chunks(basket())], 202],
      [[...sized(basket()), 'expect: 100-continue'], [basket()], 202],
      [sized(long), [long.slice(0, 3000), long.slice(3000)], 202],
      [[JSON_TYPE, 'content-length: 0'], [], 400],
      [[JSON_TYPE], [], 400],
      [[JSON_TYPE, `content-length: ${64 * 1024 + 1}`], ['x'.repeat(64 * 1024 + 1)], 413],
      [[JSON_TYPE, 'content-length: 10', 'content-length: 11'], [], 400],
      [[JSON_TYPE, 'content-length: ten'], [], 400],
      [[...sized('{"items":'), 'expect: 100-continue'], ['{"it', 'ems":'], 400],
    ];
    for (const [headers, body, status] of ways) {
      expect([headers, (await same((suffix) => ask('POST', `${joins()}${suffix}`, [bearer(nextToken()), ...headers], ...body))).status]).toEqual([headers, status]);
    }
  });

  it('leave other methods and addresses to the controllers', async () => {
    for (const method of ['PUT', 'HEAD', 'OPTIONS', 'DELETE']) await same((suffix) => ask(method, `${joins()}${suffix}`, [bearer(nextToken())]));
    for (const path of [`/sales/${sale.id}/tickets/`, '/sales/0/tickets', '/sales/x/tickets', `/sales/${'9'.repeat(20)}/tickets`, `/sales/%3${sale.id}/tickets`]) {
      await same((suffix) => join(`${path}${suffix}`, [bearer(nextToken())], basket()));
    }
  });

  it('answer requests that come at once on one connection in their order', async () => {
    const shopper = bearer(nextToken());
    const joining = `${requestOf('POST', joins(), [shopper, ...sized(basket())])}${basket()}`;
    const broken = `${requestOf('POST', joins(), [shopper, ...sized('{"items":[]}')])}{"items":[]}`;
    const looking = requestOf('GET', `/sales/${sale.id}/ticket`, [shopper]);
    const leaving = requestOf('GET', '/sales', ['connection: close']);
    const answers = await send(`${joining}${broken}${looking}${joining}${leaving}`);
    expect(answers.map(({ status }) => status)).toEqual([202, 400, expect.any(Number), 409, 200]);
  });

  it('count a join only when all of it has come', async () => {
    const token = nextToken();
    const withoutItsLastByte = requestOf('POST', joins(), [bearer(token), ...sized(`${basket()} `)]) + basket();
    await exchange(shop.api.base, withoutItsLastByte, CUT);
    expect((await ask('GET', `/sales/${sale.id}/ticket`, [bearer(token)])).status).toBe(404);
  });

  it('end their connections once the service is stopping', async () => {
    const app = await shop.start(['api']);
    const { base } = shop.api;
    const token = nextToken();
    const stopped = shop.stop(app, 500);
    const answers = answersIn(await exchange(base, requestOf('POST', joins(), [bearer(token), ...sized(basket())]), basket()));
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([[202, 'close']]);
    await stopped;
  });
});

const requestOf = (method: string, path: string, headers: string[]): string => `${[`${method} /api${path} HTTP/1.1`, 'host: x', ...headers].join('\r\n')}\r\n\r\n`;

/** What differs from answer to answer, whoever gives it. */
const VARYING = ['date', 'x-request-id', 'content-length'];

function essence({ status, headers, body }: RawAnswer): object {
  const kept = Object.entries(headers).filter(([name]) => !VARYING.includes(name)).sort(([a], [b]) => a.localeCompare(b));
  const content = (body === '' ? {} : JSON.parse(body.replace(BESIDE, ''))) as Record<string, unknown>;
  return { status, headers: kept, body: { ...content, ticketId: '', position: 0, requestId: '' }, namesItsRequest: content.requestId === headers['x-request-id'] };
}
