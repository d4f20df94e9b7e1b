import { Redis } from 'ioredis';
import { ClosedSessions, RecentSessions, sessionKey, Sessions } from '../../src/auth/index.js';
import { RedisConnections } from '../../src/infra/redis/index.js';
import type { Api } from '../harness/api.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

const USER = { id: '1', username: 'shopper', role: 'shopper' } as const;

describe('a session that is closed', () => {
  let shop: Shop;
  let api: Api;
  let recent: RecentSessions;
  let sessions: Sessions;
  let elsewhere: Sessions;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    // Of the first process, as `get` answers; the newest one answers `shop.api`.
    api = shop.api;
    [recent, sessions] = [shop.get(RecentSessions), shop.get(Sessions)];
    elsewhere = (await shop.start(['api'])).get(Sessions, { strict: false });
  });
  afterAll(() => shop.close());

  const connection = (name: 'request' | 'subscriber'): Redis => {
    const client = shop.get(RedisConnections)[name];
    if (client instanceof Redis) return client;
    throw new Error('one server is wanted here');
  };
  /** Looks a session up, and does something after Redis has answered and before the answer is read. */
  const inTheMiddle = async (token: string, deed: () => Promise<void> | void): Promise<void> => {
    const request = connection('request');
    const id = await request.client('ID');
    request.stream.pause();
    try {
      const looking = recent.find(token);
      looking.catch(() => undefined);
      await until('Redis to answer', async () => String(await shop.redis.call('CLIENT', 'LIST', 'ID', id)).includes(' cmd=get '), 500);
      await deed();
      request.stream.resume();
      expect(await looking).toEqual(USER);
    } finally {
      request.stream.resume();
    }
  };

  it('is not remembered when another process closes it during a lookup', async () => {
    const { token } = await sessions.open(USER);
    let isHeard = false;
    shop.get(ClosedSessions).listen((key) => (isHeard ||= key === sessionKey(token)));
    await inTheMiddle(token, async () => {
      await elsewhere.close(token);
      await until('the word', () => isHeard, 500);
    });
    expect(await recent.find(token)).toBeNull();
  });

  it.each<[string, (token: string) => void]>([
    ['it', (token) => recent.forget(token)],
    ['all', () => recent.forgetAll()],
  ])('is not remembered when %s is forgotten during a lookup', async (_, forget) => {
    const { token } = await sessions.open(USER);
    await inTheMiddle(token, () => forget(token));
    await shop.redis.del(sessionKey(token));
    expect(await recent.find(token)).toBeNull();
  });

  it('is unknown to the process that closed it before the word comes back', async () => {
    const { token } = await sessions.open(USER);
    expect(await recent.find(token)).toEqual(USER);
    const { stream } = connection('subscriber');
    stream.pause();
    try {
      ok(await api.as(token).post('/auth/logout'), 204);
      expect(await recent.find(token)).toBeNull();
    } finally {
      stream.resume();
    }
  });
});
