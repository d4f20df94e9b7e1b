import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { readSettings } from '../../src/config/index.js';
import { databaseOptions } from '../../src/infra/database/index.js';
import { RedisConnections } from '../../src/infra/redis/index.js';
import { Clocks } from '../../src/readiness/checks/clocks.js';
import type { Finding } from '../../src/readiness/finding.js';
import { Proxy } from '../harness/proxy.js';
import { freshServices } from '../harness/services.js';
import { Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { readinessOf } from './findings.js';

Logger.overrideLogger(false);

/** How wrong a measurement may be here, where servers and tests share a busy machine. */
const TOLERANCE_MS = 100;
const [NOTICED_MS, FAILED_MS] = [250, 1000];
const RUNS = 60;

/** Finds answers to TIME, which are seconds and microseconds. A gap of whole seconds keeps their lengths. */
const withGap = (gapSeconds: number) => (answer: string): string =>
  answer.replace(/(\*2\r\n\$10\r\n)(\d{10})(?=\r\n\$\d\r\n\d{1,6}\r\n)/g, (_, head: string, seconds: string) => `${head}${Number(seconds) + gapSeconds}`);

/** Lets the clock of this process be off while `work` goes on. */
async function withOwnClock(offMs: number, work: () => Promise<void>): Promise<void> {
  const { now } = Date;
  Date.now = () => now() + offMs;
  try {
    await work();
  } finally {
    Date.now = now;
  }
}

/** Gaps of both signs, small ones as often as large ones, none so near to a limit that the measurement's error decides. */
const gapMs = fc
  .oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 100_000_000 }))
  .filter((gap) => [NOTICED_MS, FAILED_MS].every((limit) => Math.abs(gap - limit) > TOLERANCE_MS))
  .chain((gap) => fc.constantFrom(gap, -gap));

const expectedOf = (gap: number): Finding['status'] => {
  if (Math.abs(gap) > FAILED_MS) return 'failed';
  return Math.abs(gap) > NOTICED_MS ? 'warning' : 'ok';
};

describe('the check of the clocks', () => {
  let proxy: Proxy;
  let connections: RedisConnections;
  let dataSource: DataSource;
  let clocks: Clocks;
  beforeAll(async () => {
    const { databaseUrl, redisUrl } = await freshServices();
    proxy = await Proxy.before(redisUrl);
    connections = new RedisConnections(readSettings({ DATABASE_URL: databaseUrl, REDIS_URL: proxy.url }));
    // One connection, so that what is set on it is what is asked.
    dataSource = await new DataSource({ ...databaseOptions(databaseUrl), poolSize: 1 } as DataSource['options']).initialize();
    clocks = new Clocks(connections, dataSource);
  });
  afterEach(async () => {
    proxy.heal();
    await dataSource.query('SET timestamp = DEFAULT, time_zone = DEFAULT');
  });
  afterAll(async () => {
    connections.onApplicationShutdown();
    await dataSource.destroy();
    proxy.close();
  });

  /** The clock of the connection stands at this moment until it is set again. */
  const setMysqlTo = (ms: number): Promise<unknown> => dataSource.query('SET timestamp = ?', [ms / 1000]);
  const expectGap = ({ figures }: Finding, gap: number): void => expect(Math.abs(Number(figures.gapMs) - gap)).toBeLessThan(TOLERANCE_MS);

  it('is content with servers on the same machine', async () => {
    for (const finding of [await clocks.ofRedis(), await clocks.ofMysql()]) {
      expect(finding).toMatchObject({ status: 'ok', message: expect.stringMatching(/^The clocks of this process and of \w+ are \d+ ms apart\.$/) });
      expectGap(finding, 0);
      expect(finding.figures.roundTripMs).toBeGreaterThan(0);
    }
  });

  it('judges MySQL by how far its clock is before or behind', async () => {
    /** That clock stands, so what the measurement takes adds to the gap: one that took long, on a busy machine, is made again. */
    const measured = async (gap: number): Promise<Finding> => {
      const setAtMs = Date.now();
      await setMysqlTo(setAtMs + gap);
      const finding = await clocks.ofMysql();
      return Date.now() - setAtMs < TOLERANCE_MS ? finding : measured(gap);
    };
    const judged = fc.asyncProperty(gapMs, async (gap) => {
      const finding = await measured(gap);
      expect({ gap, status: finding.status }).toEqual({ gap, status: expectedOf(gap) });
      expectGap(finding, gap);
    });
    await fc.assert(judged, { numRuns: RUNS });
  });

  it.each([-100_000, -2, 2, 100_000])('fails where the clock of Redis is %d s off', async (seconds) => {
    proxy.rewrite = withGap(seconds);
    const finding = await clocks.ofRedis();
    expect(finding).toMatchObject({ status: 'failed', message: expect.stringMatching(/^The clocks of this process and of Redis are \d+ ms apart: have both machines follow a time server\.$/) });
    expectGap(finding, seconds * 1000);
  });

  it.each([
    [-1500, 'failed'], [-600, 'warning'], [600, 'warning'], [1500, 'failed'],
  ])('sees on both servers that the clock of this process is %d ms off: %s', async (offMs, status) => {
    await withOwnClock(offMs, async () => {
      for (const finding of [await clocks.ofRedis(), await clocks.ofMysql()]) {
        expect(finding.status).toBe(status);
        expectGap(finding, -offMs);
      }
    });
  });

  // The last two lie in the hour that Central Europe has twice, for machines that live there.
  it.each(['2026-07-01T12:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'])('does not take the time zone of MySQL for a gap at %s', async (instant) => {
    for (const zone of ['SYSTEM', '+05:30', '-11:00']) {
      await dataSource.query('SET time_zone = ?', [zone]);
      await setMysqlTo(Date.parse(instant));
      await withOwnClock(Date.parse(instant) - Date.now(), async () => expect(await clocks.ofMysql()).toMatchObject({ status: 'ok' }));
    }
  });

  // All of the delay lies on the way back, where half of it is taken for a gap.
  it.each([600, 1200])('warns where answers take %d ms that nobody knows how far apart the clocks are', async (delayMs) => {
    await clocks.ofRedis();
    proxy.delayMs = delayMs;
    const finding = await clocks.ofRedis();
    expect(finding).toMatchObject({ status: 'warning', message: expect.stringMatching(/^Redis took \d+ ms to answer, so that nobody knows/) });
    expectGap(finding, -delayMs / 2);
  });

  it('fails where the gap is larger than slow answers explain', async () => {
    proxy.delayMs = 600;
    proxy.rewrite = withGap(-3);
    expect(await clocks.ofRedis()).toMatchObject({ status: 'failed' });
  });

  it('believes the quickest answer', async () => {
    proxy.delayMs = 900;
    const finding = clocks.ofRedis();
    await until('the first answer to be on its way', () => proxy.answersUnderWay > 0);
    proxy.delayMs = 0;
    expect(await finding).toMatchObject({ status: 'ok' });
    expect((await finding).figures.roundTripMs).toBeLessThan(500);
  });
});

describe('the readiness of a sale', () => {
  it('says whose clock is off: that of Redis, not of MySQL', async () => {
    const services = await freshServices();
    const proxy = await Proxy.before(services.redisUrl);
    proxy.rewrite = withGap(5);
    const shop = await Shop.on({ ...services, redisUrl: proxy.url }, {}, ['api']);
    try {
      const sale = await shop.sale();
      const { ready, findings } = await readinessOf(shop, sale);
      expect(findings).toMatchObject({ clock_redis: { status: 'failed' }, clock_mysql: { status: 'ok' } });
      expect(ready).toBe(false);
    } finally {
      await shop.close();
      proxy.close();
    }
  });
});
