import { type Answer } from '../harness/api.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { expectProblem, expectRefusal } from './refusals.js';

const PASSWORD = 'correct horse battery';
const SESSION_TTL_SECONDS = 6;

describe('accounts and sessions', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({ SESSION_TTL_SECONDS: String(SESSION_TTL_SECONDS) });
  });
  afterAll(() => shop.close());

  const register = (username: unknown, password: unknown = PASSWORD): Promise<Answer> => shop.api.post('/auth/register', { username, password });
  const login = (username: unknown, password: unknown = PASSWORD): Promise<Answer> => shop.api.post('/auth/login', { username, password });

  it('registers a shopper and signs the shopper in', async () => {
    const before = Date.now();
    const { body } = ok(await register('ada'), 201);
    expect(body).toEqual({ user: { id: expect.stringMatching(/^\d+$/), username: 'ada', role: 'shopper' }, token: expect.any(String), expiresAt: expect.any(String) });
    expect(Date.parse(body.expiresAt) - before).toBeGreaterThan((SESSION_TTL_SECONDS - 1) * 1000);
    expect(ok(await shop.api.as(body.token).get('/auth/me'), 200).body).toEqual(body.user);
  });

  it('signs in, whatever the case of the name, with a new token each time', async () => {
    const registered = ok(await register('Grace'), 201).body;
    const [one, two] = [ok(await login('Grace'), 200).body, ok(await login('gRACE'), 200).body];
    expect([one.user, two.user]).toEqual([registered.user, registered.user]);
    expect(new Set([registered.token, one.token, two.token]).size).toBe(3);
  });

  it('refuses a taken name, in any case', async () => {
    ok(await register('linus'), 201);
    await expectRefusal(shop, () => register('linus', 'another password'), 409, 'USERNAME_TAKEN');
    await expectRefusal(shop, () => register('LINUS', 'another password'), 409, 'USERNAME_TAKEN');
    ok(await login('linus'), 200);
  });

  it('gives a name that ten want at once to one of them', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => register('wanted', `password number ${i}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    for (const answer of answers) if (answer.status === 409) expectProblem(answer, 409, 'USERNAME_TAKEN');
    const won = answers.findIndex(({ status }) => status === 201);
    expect(ok(await login('wanted', `password number ${won}`), 200).body.user).toEqual(answers[won]?.body.user);
  });

  it.each([
    ['no fields', {}],
    ['no password', { username: 'someone' }],
    ['a short name', { username: 'ab', password: PASSWORD }],
    ['a long name', { username: 'a'.repeat(65), password: PASSWORD }],
    ['space in the name', { username: 'a b c', password: PASSWORD }],
    ['a look-alike letter', { username: 'adà', password: PASSWORD }],
    ['a number as name', { username: 12345, password: PASSWORD }],
    ['a list as name', { username: ['someone'], password: PASSWORD }],
    ['a short password', { username: 'someone', password: '1234567' }],
    ['a long password', { username: 'someone', password: 'x'.repeat(201) }],
    ['null as password', { username: 'someone', password: null }],
    ['a role', { username: 'someone', password: PASSWORD, role: 'operator' }],
    ['a list as body', [{ username: 'someone', password: PASSWORD }]],
    ['no JSON', '{"username":'],
    ['a prototype', '{"username":"someone","password":"correct horse battery","__proto__":{"role":"operator"}}'],
  ])('does not register with %s', async (_, body) => {
    await expectRefusal(shop, () => shop.api.post('/auth/register', body), 400, 'VALIDATION_FAILED');
  });

  it.each([{}, { username: 'ada' }, { username: 'ada', password: 5 }, { username: { $ne: '' }, password: PASSWORD }, { username: 'ada', password: PASSWORD, remember: true }])(
    'does not take %j as a login',
    async (body) => {
      await expectRefusal(shop, () => shop.api.post('/auth/login', body), 400, 'VALIDATION_FAILED');
    },
  );

  it('answers an unknown name like a wrong password', async () => {
    ok(await register('known'), 201);
    const answers = [await login('known', 'wrong password'), await login('unknown'), await login(''), await login("known' OR '1'='1"), await login('knówn'), await login('known\u0000')];
    const comparable = answers.map((answer) => {
      expectProblem(answer, 401, 'INVALID_CREDENTIALS');
      return { ...answer.body, requestId: '' };
    });
    expect(new Set(comparable.map((body) => JSON.stringify(body))).size).toBe(1);
  });

  it('takes as long for an unknown name as for a wrong password', async () => {
    ok(await register('slow'), 201);
    const timed = async (username: string): Promise<number> => {
      const started = performance.now();
      await login(username, 'wrong password');
      return performance.now() - started;
    };
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let i = 0; i < 7; i += 1) {
      known.push(await timed('slow'));
      unknown.push(await timed('nobody-slow'));
    }
    const ratio = median(unknown) / median(known);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  it('ends the session of the token at logout, and no other', async () => {
    const [first, second] = [ok(await register('leaver'), 201).body.token, ok(await login('leaver'), 200).body.token];
    const left = ok(await shop.api.as(first).post('/auth/logout'), 204);
    expect(left.body).toBe('');
    await expectRefusal(shop, () => shop.api.as(first).get('/auth/me'), 401, 'UNAUTHENTICATED');
    await expectRefusal(shop, () => shop.api.as(first).post('/auth/logout'), 401, 'UNAUTHENTICATED');
    ok(await shop.api.as(second).get('/auth/me'), 200);
  });

  it('keeps neither token nor password in Redis or MySQL', async () => {
    const { token } = ok(await register('secretive', 'a very secret password'), 201).body;
    const kept = JSON.stringify([await shop.database.query('SELECT * FROM users'), await shop.redis.keys('*')]);
    expect(kept).toContain('secretive');
    expect(kept).not.toContain('a very secret password');
    expect(kept).not.toContain(token);
  });

  it('refuses missing, forged and garbled tokens', async () => {
    const { token } = ok(await register('victim'), 201).body;
    const forged = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    const headers = [
      undefined, '', 'Bearer', 'Bearer ', `Bearer ${forged}`, `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Bearer ${token} ${token}`, `Basic ${token}`, token,
      'Bearer null', 'Bearer *', 'Bearer ../../etc', `Bearer ${'a'.repeat(43)}`, `Bearer ${'x'.repeat(8000)}`, 'Bearer eyJhbGciOiJub25lIn0.eyJyb2xlIjoib3BlcmF0b3IifQ.',
    ];
    for (const authorization of headers) {
      const answer = await shop.api.call('GET', '/auth/me', undefined, authorization === undefined ? {} : { authorization });
      expectProblem(answer, 401, 'UNAUTHENTICATED');
    }
    ok(await shop.api.call('GET', '/auth/me', undefined, { authorization: `bearer ${token}` }), 200);
  });

  it('takes a token from nowhere but the header', async () => {
    const { token } = ok(await register('elsewhere'), 201).body;
    expectProblem(await shop.api.get(`/auth/me?token=${token}&access_token=${token}`), 401, 'UNAUTHENTICATED');
    expectProblem(await shop.api.get('/auth/me', { cookie: `token=${token}` }), 401, 'UNAUTHENTICATED');
  });

  it('lets a session expire when it said it would', async () => {
    const { token, expiresAt } = ok(await register('sleeper'), 201).body;
    ok(await shop.api.as(token).get('/auth/me'), 200);
    const refused = await until('the session to expire', async () => {
      const answer = await shop.api.as(token).get('/auth/me');
      return answer.status !== 200 && answer;
    });
    expectProblem(refused, 401, 'UNAUTHENTICATED');
    expect(Math.abs(Date.now() - Date.parse(expiresAt))).toBeLessThan(2000);
  });
});

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
