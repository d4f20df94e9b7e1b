import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { readSettings } from '../../src/config/index.js';
import { isRedisUnavailable, RedisConnections } from '../../src/infra/redis/index.js';
import { TestCluster } from '../harness/cluster.js';
import { until } from '../harness/until.js';

/** Waits a little longer than the slowest of the process's connections may take (`work`, 5 s). */
const NEVER_MS = 8000;

/** What comes of a command: its answer, or how it failed, and after how long. */
async function outcomeOf(command: Promise<unknown>): Promise<{ answer?: unknown; error?: unknown; afterMs: number }> {
  const asked = Date.now();
  const never = new Promise<{ answer: string }>((resolve) => setTimeout(() => resolve({ answer: 'none' }), NEVER_MS).unref());
  const settled = command.then((answer) => ({ answer }), (error: unknown) => ({ error }));
  return { ...(await Promise.race([settled, never])), afterMs: Date.now() - asked };
}

describe('on a Redis Cluster', () => {
  let folder: string;
  let cluster: TestCluster;
  let connections: RedisConnections;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seckill-cluster-'));
    cluster = await TestCluster.start(folder, 3);
    connections = new RedisConnections(readSettings({ DATABASE_URL: 'mysql://none', REDIS_CLUSTER_NODES: cluster.addresses }));
    await until('the connections to be ready', () => [connections.request, connections.work].every(({ status }) => status === 'ready'));
  });
  afterAll(async () => {
    connections?.onApplicationShutdown();
    await cluster?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const clients = (): [string, RedisConnections['work']][] => [['request', connections.request], ['work', connections.work]];
  const answersAgain = (name: string, client: RedisConnections['work']): Promise<unknown> =>
    until(`an answer to ${name}`, async () => (await client.set('{a}', '1').catch(() => undefined)) === 'OK' && (await client.set('{b}', '1').catch(() => undefined)) === 'OK');

  it('a command to nodes that are gone ends with an error, and all goes on by itself when they are back', async () => {
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    for (const [name, client] of clients()) {
      // The first may be on its way to a node whose end was not noticed yet; the later ones find none.
      for (const attempt of [1, 2, 3]) {
        const { answer, error, afterMs } = await outcomeOf(client.get('{a}'));
        expect({ name, attempt, answer, isTold: isRedisUnavailable(error) }).toEqual({ name, attempt, answer: undefined, isTold: true });
        if (name === 'request' && attempt > 1) expect(afterMs).toBeLessThan(2000);
      }
    }
    await Promise.all(cluster.nodes.map((node) => node.start()));
    for (const [name, client] of clients()) await answersAgain(name, client);
  }, 120_000);

  it('a command to nodes that stand still ends with an error, and all goes on by itself after it', async () => {
    for (const node of cluster.nodes) node.freeze();
    try {
      for (const [name, client] of clients()) {
        for (const attempt of [1, 2]) {
          const { answer, error } = await outcomeOf(client.get('{a}'));
          expect({ name, attempt, answer, isTold: isRedisUnavailable(error) }).toEqual({ name, attempt, answer: undefined, isTold: true });
        }
      }
    } finally {
      for (const node of cluster.nodes) node.thaw();
    }
    for (const [name, client] of clients()) await answersAgain(name, client);
  }, 120_000);

  it('slots that move to another node are followed', async () => {
    const admins = cluster.nodes.map((node) => new Redis(node.url));
    try {
      const slot = Number(await admins[0]?.cluster('KEYSLOT', '{moved}'));
      const owners = await Promise.all(admins.map((admin) => owns(admin, slot)));
      const target = admins[(owners.indexOf(true) + 1) % admins.length];
      const id = String(await target?.cluster('MYID'));
      for (const admin of admins) await admin.cluster('SETSLOT', slot, 'NODE', id);
      for (const [, client] of clients()) expect(await client.set('{moved}', 'there')).toBe('OK');
      expect(await target?.get('{moved}')).toBe('there');
    } finally {
      for (const admin of admins) admin.disconnect();
    }
  });
});

async function owns(admin: Redis, slot: number): Promise<boolean> {
  const ranges = /myself\S* .*connected(.*)$/m.exec(String(await admin.cluster('NODES')))?.[1] ?? '';
  return ranges.trim().split(' ').some((range) => {
    const [low = NaN, high = low] = range.split('-').map(Number);
    return slot >= low && slot <= high;
  });
}
