import { Redis } from 'ioredis';
import { naiveTake, versionLockTake, type StockMethod } from '../fixtures/stock-methods.js';
import { inParallel } from '../harness/parallel.js';
import { freshServices } from '../harness/services.js';

const [REQUESTS, CONCURRENCY, STOCK] = [2000, 200, 500];

/**
 * The same load that `two-thousand.spec.ts` puts on the service, on the methods that the seed articles warn of: it shows that this load is
 * hard enough to see units sold twice and units left over.
 */
describe('2,000 requests at concurrency 200 over a stock of 500, by methods with a known fault', () => {
  let redisUrl: string;
  let redis: Redis;
  beforeAll(async () => {
    ({ redisUrl } = await freshServices());
    redis = new Redis(redisUrl);
  });
  afterAll(() => redis.disconnect());

  async function sell(method: StockMethod): Promise<{ sold: number; left: number }> {
    const key = 'fixture:stock';
    await redis.set(key, STOCK);
    try {
      const taken = await inParallel(Array(REQUESTS).keys(), CONCURRENCY, () => method.take(key));
      return { sold: taken.filter(Boolean).length, left: Number(await redis.get(key)) };
    } finally {
      method.close();
    }
  }

  it('oversells by a read and a write after it', async () => {
    const { sold } = await sell(naiveTake(redisUrl));
    expect(sold).toBeGreaterThan(STOCK);
  });

  it('leaves units over by a version lock without retry', async () => {
    const { sold, left } = await sell(versionLockTake(redisUrl, CONCURRENCY));
    expect(left).toBeGreaterThan(0);
    expect(sold + left).toBe(STOCK);
  });
});
