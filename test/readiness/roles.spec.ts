import { getQueueToken } from '@nestjs/bull';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Queue } from 'bull';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/lib/ports.mjs';
import { DRAIN_QUEUE } from '../../src/seckill/index.js';
import { ServiceProcess } from '../faults/harness/deployment.js';
import { Proxy } from '../harness/proxy.js';
import { Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { findingOf, readinessOf } from './findings.js';

Logger.overrideLogger(false);

type Role = 'worker' | 'scheduler';
const ROLES: Role[] = ['worker', 'scheduler'];

/** How long a sign counts, as `LifeSigns` has it, and how long a scheduler may go without a sweep. */
const [ALIVE_MS, SWEPT_WITHIN_MS] = [7000, 10_000];
/** A sign every two seconds, on a busy machine. */
const SIGN_MS = 6000;
const SILENT_MS = ALIVE_MS + SIGN_MS;
const LONG_MS = 120_000;

const keyOf = (role: Role): string => `seckill:alive:${role}`;

describe('the check of the roles', () => {
  let shop: Shop;
  let sale: TestSale;
  const started: NestFastifyApplication[] = [];
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    sale = await shop.sale();
  });
  afterEach(async () => {
    for (const app of started.splice(0)) await shop.stop(app);
    await shop.redis.del(...ROLES.map(keyOf));
  });
  afterAll(() => shop.close());

  const look = (role: Role) => findingOf(shop, sale, `${role}_alive`);
  const start = async (...roles: Role[]): Promise<NestFastifyApplication> => {
    const app = await shop.start(roles);
    started.push(app);
    return app;
  };
  const stop = (app: NestFastifyApplication): Promise<void> => {
    started.splice(started.indexOf(app), 1);
    return shop.stop(app);
  };
  const alive = (role: Role, count: number, deadlineMs = SIGN_MS): Promise<unknown> => until(`${count} ${role}s`, async () => (await look(role)).figures.alive === count, deadlineMs);
  const sign = (role: Role, name: string, ageMs: number): Promise<number> => shop.redis.zadd(keyOf(role), Date.now() - ageMs, name);

  it.each(ROLES)('fails without a %s, and passes as soon as there is one', async (role) => {
    expect(await look(role)).toMatchObject({ status: 'failed', message: expect.stringContaining(`the work of a ${role}`), figures: { alive: 0 } });
    expect((await readinessOf(shop, sale)).ready).toBe(false);
    await start(role);
    await alive(role, 1);
    expect(await look(role)).toEqual({ status: 'ok', message: `A ${role} is at work.`, figures: { alive: 1 } });
    const other = role === 'worker' ? 'scheduler' : 'worker';
    expect(await look(other)).toMatchObject({ status: 'failed' });
  });

  it('counts a process for each role that it has', async () => {
    await start('worker', 'scheduler');
    for (const role of ROLES) await alive(role, 1);
    expect((await readinessOf(shop, sale)).ready).toBe(true);
  });

  it.each(ROLES)('counts two %ss, and one at once when the other stops in good order', async (role) => {
    const [, second] = [await start(role), await start(role)];
    await alive(role, 2);
    expect(await look(role)).toMatchObject({ status: 'ok', message: `2 ${role}s are at work.` });
    await stop(second);
    expect(await look(role)).toMatchObject({ status: 'ok', figures: { alive: 1 } });
  });

  it.each(ROLES)('does not count a sign of a %s that is old, or from a time to come', async (role) => {
    await sign(role, 'old', ALIVE_MS + 500);
    await sign(role, 'future', -3_600_000);
    expect(await look(role)).toMatchObject({ status: 'failed', figures: { alive: 0 } });
    await sign(role, 'fresh', ALIVE_MS - 3000);
    expect(await look(role)).toMatchObject({ status: 'ok', figures: { alive: 1 } });
    await alive(role, 0, SILENT_MS);
  });

  it('goes by signs that run out by themselves, forgets who gives none, and comes back from their loss', async () => {
    await start('worker');
    await alive('worker', 1);
    expect(await shop.redis.ttl(keyOf('worker'))).toBeGreaterThan(ALIVE_MS / 1000);
    expect(await shop.redis.ttl(keyOf('worker'))).toBeLessThanOrEqual(60);
    await shop.redis.expire(keyOf('worker'), 20);
    await until('the time to live to be renewed', async () => (await shop.redis.ttl(keyOf('worker'))) > 20);

    await sign('worker', 'long gone', 60_000);
    await sign('worker', 'from a time to come', -3_600_000);
    await until('the others to be forgotten', async () => (await shop.redis.zcard(keyOf('worker'))) === 1);

    await shop.redis.del(keyOf('worker'));
    await alive('worker', 1);
  });

  it.each([true, false])('does not count a worker whose queue is paused (for itself alone: %s) until it goes on', async (isLocal) => {
    const worker = await start('worker');
    await alive('worker', 1);
    const queue = worker.get<Queue>(getQueueToken(DRAIN_QUEUE), { strict: false });
    await queue.pause(isLocal, true);
    await alive('worker', 0, SILENT_MS);
    await queue.resume(isLocal);
    await alive('worker', 1);
  });

  it.each(['cut', 'freeze'] as const)('counts nobody whom MySQL does not answer (%s), and all of them once it does', async (how) => {
    const proxy = await Proxy.before(shop.services.databaseUrl);
    const cutOff = await Shop.on({ ...shop.services, databaseUrl: proxy.url }, {}, ROLES);
    try {
      for (const role of ROLES) await alive(role, 1);
      proxy[how]();
      await alive('worker', 0, SILENT_MS);
      await alive('scheduler', 0, SWEPT_WITHIN_MS + SILENT_MS);
      proxy.heal();
      for (const role of ROLES) await alive(role, 1, 30_000);
    } finally {
      proxy.heal();
      await cutOff.close();
      proxy.close();
    }
  }, LONG_MS);

  it('counts a scheduler that leaves the sweep to another', async () => {
    await start('scheduler');
    await start('scheduler');
    await alive('scheduler', 2);
    const since = Date.now();
    await until('a time in which each would have had to sweep', async () => {
      expect(await look('scheduler')).toMatchObject({ figures: { alive: 2 } });
      return Date.now() - since > SWEPT_WITHIN_MS + ALIVE_MS;
    }, LONG_MS);
  }, LONG_MS);

  it.each(ROLES)('counts one of two %ss in processes of their own when the other stands still', async (role) => {
    const folder = await mkdtemp(join(process.env.TEST_DATA_DIR ?? tmpdir(), 'roles-'));
    const port = await findFreePort();
    const env = { ROLE: role, PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'info', NODE_ENV: 'test', DATABASE_URL: shop.services.databaseUrl, REDIS_URL: shop.services.redisUrl };
    const other = new ServiceProcess(role, role, port, env, join(folder, `${role}.log`));
    await start(role);
    other.start();
    try {
      await alive(role, 2, LONG_MS / 2);
      other.signal('SIGSTOP');
      await alive(role, 1, SILENT_MS);
      expect(await look(role)).toMatchObject({ status: 'ok' });
      other.signal('SIGCONT');
      await alive(role, 2);
    } finally {
      other.signal('SIGCONT');
      await other.stop();
      await rm(folder, { recursive: true, force: true });
    }
    expect(await look(role)).toMatchObject({ figures: { alive: 1 } });
  }, LONG_MS);
});
