import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedisNode, type RedisNode } from '../../scripts/lib/services.mjs';
import { readSettings } from '../../src/config/index.js';
import { RedisConnections, RedisFitnessCheck } from '../../src/infra/redis/index.js';
import { RedisKeeping } from '../../src/readiness/checks/redis-keeping.js';
import { TestCluster } from '../harness/cluster.js';
import { Proxy } from '../harness/proxy.js';
import { freshServices } from '../harness/services.js';
import { Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { findingOf, readinessOf } from './findings.js';

Logger.overrideLogger(false);

const folderFor = (name: string): Promise<string> => mkdtemp(join(process.env.TEST_DATA_DIR ?? tmpdir(), `${name}-`));

describe('what Redis keeps', () => {
  let folder: string;
  let node: RedisNode;
  let proxy: Proxy;
  let admin: Redis;
  let shop: Shop;
  let sale: TestSale;
  beforeAll(async () => {
    folder = await folderFor('keeping');
    node = await startRedisNode({ dataDir: folder });
    proxy = await Proxy.before(node.url);
    // Another user than that of the service, who may lose rights.
    admin = new Redis(node.url);
    await admin.acl('SETUSER', 'admin', 'on', '>admin', '~*', '&*', '+@all');
    await admin.auth('admin', 'admin');
    shop = await Shop.on({ ...(await freshServices()), redisUrl: proxy.url }, {}, ['api']);
    sale = await shop.sale();
  });
  afterEach(async () => {
    proxy.heal();
    await admin.acl('SETUSER', 'default', '+@all');
    await admin.config('SET', 'maxmemory', 0);
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    await admin.config('SET', 'appendfsync', 'everysec');
    await admin.config('SET', 'appendonly', 'yes');
  });
  afterAll(async () => {
    await shop?.close();
    admin?.disconnect();
    proxy?.close();
    await node?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const eviction = () => findingOf(shop, sale, 'eviction_policy');
  const persistence = () => findingOf(shop, sale, 'persistence');
  /** Lets a part of what the server says of itself be something else, or be hidden by another name. */
  const say = (from: string, to: string): void => {
    proxy.rewrite = (answer) => answer.replaceAll(from, to);
  };

  it.each([0, 1_000_000_000])('is everything with noeviction, and %i bytes at most', async (maxMemoryBytes) => {
    await admin.config('SET', 'maxmemory', maxMemoryBytes);
    expect(await eviction()).toEqual({ status: 'ok', message: 'Redis throws nothing away when its memory is full.', figures: { policy: 'noeviction', maxMemoryBytes } });
  });

  it.each(['allkeys-lru', 'allkeys-lfu', 'allkeys-random', 'volatile-lru', 'volatile-lfu', 'volatile-random', 'volatile-ttl'])('is not everything with %s', async (policy) => {
    await admin.config('SET', 'maxmemory-policy', policy);
    expect(await eviction()).toMatchObject({ status: 'failed', message: expect.stringContaining('as soon as its memory is limited'), figures: { policy, maxMemoryBytes: 0 } });
    await admin.config('SET', 'maxmemory', '1gb');
    expect(await eviction()).toMatchObject({ status: 'failed', message: expect.stringContaining('When its memory is full'), figures: { policy, maxMemoryBytes: 1024 ** 3 } });
    expect((await readinessOf(shop, sale)).ready).toBe(false);
  });

  it('is unknown where it hides its policy', async () => {
    say('maxmemory_policy:', 'maxmemory_hidden:');
    expect(await eviction()).toMatchObject({ status: 'warning', message: expect.stringContaining('does not say') });
  });

  it.each([
    ['everysec', 'ok', 'every second'], ['always', 'ok', 'with every write'], ['no', 'warning', 'leaves it to the system'],
  ])('is on disk after a while with appendfsync %s: %s', async (appendfsync, status, words) => {
    await admin.config('SET', 'appendfsync', appendfsync);
    expect(await persistence()).toMatchObject({ status, message: expect.stringContaining(words), figures: { appendonly: 'yes', appendfsync } });
  });

  it('is lost at a restart without an append-only file', async () => {
    await admin.config('SET', 'appendonly', 'no');
    expect(await persistence()).toMatchObject({ status: 'failed', message: expect.stringContaining('Set appendonly to yes'), figures: { appendonly: 'no' } });
    expect((await readinessOf(shop, sale)).ready).toBe(false);
  });

  it('is lost where the file could not be written', async () => {
    say('aof_last_write_status:ok', 'aof_last_write_status:no');
    expect(await persistence()).toMatchObject({ status: 'failed', message: expect.stringContaining('look at its disk') });
  });

  it('is not known to be on disk where the service may not ask how often', async () => {
    await admin.acl('SETUSER', 'default', '-config');
    expect(await persistence()).toMatchObject({ status: 'warning', message: expect.stringContaining('does not say how often'), figures: { appendfsync: 'unknown' } });
  });

  it('is not known to be on disk where it does not say whether it writes a file', async () => {
    say('aof_enabled:', 'aof_hiddens:');
    expect(await persistence()).toMatchObject({ status: 'warning', message: expect.stringContaining('does not say whether'), figures: { appendonly: 'unknown' } });
  });

  it('could not be checked where the service may not ask at all', async () => {
    await admin.acl('SETUSER', 'default', '-info');
    const { ready, findings } = await readinessOf(shop, sale);
    for (const finding of [findings.eviction_policy, findings.persistence]) expect(finding).toMatchObject({ status: 'failed', message: expect.stringContaining('could not be checked') });
    expect(findings.clock_redis.status).toBe('ok');
    expect(ready).toBe(false);
  });
});

describe('what the masters of a cluster keep', () => {
  let folder: string;
  let cluster: TestCluster;
  let connections: RedisConnections;
  let keeping: RedisKeeping;
  beforeAll(async () => {
    folder = await folderFor('keeping-cluster');
    cluster = await TestCluster.start(folder, 3);
    connections = new RedisConnections(readSettings({ DATABASE_URL: 'mysql://nobody@127.0.0.1/none', REDIS_CLUSTER_NODES: cluster.addresses }));
    keeping = new RedisKeeping(new RedisFitnessCheck(connections));
    await connections.work.ping();
  });
  afterAll(async () => {
    connections?.onApplicationShutdown();
    await cluster?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Sets it on one master while `work` goes on. */
  const withSetting = async (name: string, value: string, usual: string, work: () => Promise<void>): Promise<void> => {
    const admin = new Redis(cluster.nodes[1]?.url ?? '');
    try {
      await admin.config('SET', name, value);
      await work();
      await admin.config('SET', name, usual);
    } finally {
      admin.disconnect();
    }
  };

  it('is everything where each does', async () => {
    expect(await keeping.eviction()).toMatchObject({ status: 'ok', figures: { policy: 'noeviction' } });
    expect(await keeping.persistence()).toMatchObject({ status: 'ok', figures: { appendonly: 'yes', appendfsync: 'everysec' } });
  });

  it('is not everything where one of them evicts', () =>
    withSetting('maxmemory-policy', 'allkeys-lru', 'noeviction', async () => {
      expect(await keeping.eviction()).toMatchObject({ status: 'failed', figures: { policy: expect.stringContaining('allkeys-lru') } });
    }));

  it('is lost where one of them writes no file', () =>
    withSetting('appendonly', 'no', 'yes', async () => {
      expect(await keeping.persistence()).toMatchObject({ status: 'failed', figures: { appendonly: 'yes, no' } });
    }));

  it('is only as sure as the one that writes its file most seldom', () =>
    withSetting('appendfsync', 'no', 'everysec', async () => {
      expect(await keeping.persistence()).toMatchObject({ status: 'warning' });
    }));

  it('is not taken for good while no master is known', async () => {
    await Promise.all(cluster.nodes.map((node) => node.stop()));
    const { work } = connections;
    await until('all masters to be forgotten', () => 'nodes' in work && work.nodes('master').length === 0);
    await expect(keeping.eviction()).rejects.toThrow();
    await expect(keeping.persistence()).rejects.toThrow();
  });
});
