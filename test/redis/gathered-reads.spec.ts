import { Redis } from 'ioredis';
import { GatheredReads } from '../../src/infra/redis/gathered-reads.js';
import { freshRedis } from '../harness/services.js';

describe('reads of one turn', () => {
  let redis: Redis;
  let reads: GatheredReads;

  beforeAll(async () => {
    redis = new Redis(await freshRedis(), { enableOfflineQueue: false, maxRetriesPerRequest: null });
    await new Promise((resolve) => redis.once('ready', resolve));
  });
  afterAll(() => redis.disconnect());
  beforeEach(async () => {
    reads = new GatheredReads(redis);
    await redis.flushall();
    await redis.hset('a', { ann: '1', bob: '2' });
    await redis.hset('b', { ann: '3' });
    await redis.config('RESETSTAT');
  });

  const commands = async (name: string): Promise<number> =>
    Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(await redis.info('commandstats'))?.[1] ?? 0);

  it('each get their own field, with one command for each hash', async () => {
    const asked = [reads.hget('a', 'bob'), reads.hget('b', 'ann'), reads.hget('a', 'nobody'), reads.hget('a', 'ann'), reads.hget('a', 'bob')];
    expect(await Promise.all(asked)).toEqual(['2', '3', null, '1', '2']);
    expect([await commands('hmget'), await commands('hget')]).toEqual([2, 0]);
  });

  it('see what was written before they were asked, also while an earlier batch is on its way', async () => {
    const first = reads.hget('a', 'ann');
    await new Promise(setImmediate);
    void redis.hset('a', 'ann', 'new');
    const second = reads.hget('a', 'ann');
    expect(await second).toBe('new');
    expect(['1', 'new']).toContain(await first);
  });

  it('of a crowd come in commands of at most 500 fields', async () => {
    const fields = Object.fromEntries(Array.from({ length: 1201 }, (_, index) => [`u${index}`, `${index}`]));
    await redis.hset('crowd', fields);
    expect(await Promise.all(Object.keys(fields).map((field) => reads.hget('crowd', field)))).toEqual(Object.values(fields));
    expect(await commands('hmget')).toBe(3);
  });

  it('fail together, and only those of the hash that can’t be read; the next try is a new one', async () => {
    await redis.set('text', 'no hash');
    const settled = await Promise.allSettled([reads.hget('text', 'ann'), reads.hget('text', 'bob'), reads.hget('a', 'ann')]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    await redis.del('text');
    expect(await reads.hget('text', 'ann')).toBeNull();
  });

  it('fail at once while Redis is away', async () => {
    const away = new Redis(redis.options.port ?? 0, { enableOfflineQueue: false, lazyConnect: true });
    await expect(new GatheredReads(away).hget('a', 'ann')).rejects.toThrow("isn't writeable");
    away.disconnect();
  });
});
