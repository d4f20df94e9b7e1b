import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedisNode, type RedisNode } from '../../scripts/lib/services.mjs';
import { readSettings } from '../../src/config/index.js';
import { LeaderLock } from '../../src/infra/lock/index.js';
import { RedisConnections } from '../../src/infra/redis/index.js';
import { freshServices } from '../harness/services.js';
import { until } from '../harness/until.js';

Logger.overrideLogger(false);

/** One process's lock. */
interface Candidate {
  lock: LeaderLock;
  close(): void;
}

function candidate(databaseUrl: string, redisUrl: string, lockUrls: string[] = []): Candidate {
  const settings = readSettings({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...(lockUrls.length > 0 ? { LOCK_REDIS_URLS: lockUrls.join(',') } : {}) });
  const connections = new RedisConnections(settings);
  return { lock: new LeaderLock(settings, connections), close: () => connections.onApplicationShutdown() };
}

/** Holds the lock until it is told to let go. */
function hold({ lock }: Candidate, name: string): { held: Promise<void>; letGo: () => void; done: Promise<unknown> } {
  let letGo = (): void => undefined;
  let isHeld = (): void => undefined;
  const held = new Promise<void>((resolve) => (isHeld = resolve));
  const done = lock.runExclusive(name, () => {
    isHeld();
    return new Promise<void>((resolve) => (letGo = resolve));
  });
  return { held, letGo: () => letGo(), done };
}

const outcome = async ({ lock }: Candidate, name: string): Promise<string> => (await lock.runExclusive(name, () => Promise.resolve())).outcome;

describe('the leader lock on one Redis', () => {
  let one: Candidate;
  let other: Candidate;
  let redis: Redis;
  beforeAll(async () => {
    const { databaseUrl, redisUrl } = await freshServices();
    redis = new Redis(redisUrl);
    one = candidate(databaseUrl, redisUrl);
    other = candidate(databaseUrl, redisUrl);
  });
  afterAll(() => {
    one.close();
    other.close();
    redis.disconnect();
  });

  it('lets one in and answers busy to the other, until the first lets go', async () => {
    const first = hold(one, 'job');
    await first.held;
    expect(await outcome(other, 'job')).toBe('busy');
    expect(await outcome(other, 'another job')).toBe('done');
    first.letGo();
    await first.done;
    expect(await outcome(other, 'job')).toBe('done');
  });

  it('is free again after work that failed, and passes the failure on', async () => {
    await expect(one.lock.runExclusive('job', () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
    expect(await outcome(other, 'job')).toBe('done');
  });

  it('is let go by its owner only: not by one that did not get it, nor by one that lost it', async () => {
    const first = hold(one, 'job');
    await first.held;
    expect([await outcome(other, 'job'), await outcome(other, 'job')]).toEqual(['busy', 'busy']);
    // As if its time had run out while its process stood still.
    await redis.del('seckill:lock:job');
    const second = hold(other, 'job');
    await second.held;
    first.letGo();
    await first.done.catch(() => undefined);
    expect(await outcome(one, 'job')).toBe('busy');
    second.letGo();
    await second.done;
    expect(await outcome(one, 'job')).toBe('done');
  });

  it('is never taken without an expiry', async () => {
    const first = hold(one, 'job');
    await first.held;
    expect(await redis.pttl('seckill:lock:job')).toBeGreaterThan(0);
    first.letGo();
    await first.done;
    expect(await redis.exists('seckill:lock:job')).toBe(0);
  });

  it('is extended while the work goes on beyond its time', async () => {
    const first = hold(one, 'long job');
    await first.held;
    const startMs = Date.now();
    await until('more than the ten seconds of one lock', () => Date.now() - startMs > 11_000, 15_000);
    expect(await outcome(other, 'long job')).toBe('busy');
    first.letGo();
    await first.done;
  });
});

describe('the leader lock on a quorum of five', () => {
  let dir: string;
  let nodes: RedisNode[];
  let one: Candidate;
  let other: Candidate;
  beforeAll(async () => {
    dir = await mkdtemp(join(process.env.TEST_DATA_DIR ?? tmpdir(), 'quorum-'));
    nodes = await Promise.all([1, 2, 3, 4, 5].map((n) => startRedisNode({ dataDir: join(dir, String(n)) })));
    const { databaseUrl, redisUrl } = await freshServices();
    const urls = nodes.map((node) => node.url);
    one = candidate(databaseUrl, redisUrl, urls);
    other = candidate(databaseUrl, redisUrl, urls);
  });
  afterAll(async () => {
    one.close();
    other.close();
    await Promise.all(nodes.map((node) => node.close()));
    await rm(dir, { recursive: true, force: true });
  });

  it('still lets exactly one in with two nodes killed, and nobody with three', async () => {
    expect(await outcome(one, 'job')).toBe('done');
    await Promise.all(nodes.slice(0, 2).map((node) => node.kill()));
    const first = hold(one, 'job');
    await first.held;
    expect(await outcome(other, 'job')).toBe('busy');
    first.letGo();
    await first.done;
    expect(await outcome(other, 'job')).toBe('done');
    await nodes[2]?.kill();
    expect(await outcome(one, 'job')).toBe('busy');
  });
});
