import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { TestCluster } from '../harness/cluster.js';
import { until } from '../harness/until.js';
import { JOURNEY, JOURNEY_PLAN } from './journey.js';
import { ScriptBench, type TestShard } from './test-shard.js';

const walk = async (shard: TestShard): Promise<void> => {
  for (const [, run] of JOURNEY) await run(shard);
};

/** A script call as MONITOR shows it, with the commands that it ran. */
interface SeenCall {
  keys: string[];
  inner: string[][];
}

/** Watches every command of the server while something is done. */
async function watch(redis: Redis, work: () => Promise<void>): Promise<SeenCall[]> {
  const monitor = await redis.monitor();
  const calls: SeenCall[] = [];
  let isOver = false;
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    const [name = '', , count, ...rest] = args;
    if (source === 'lua') calls.at(-1)?.inner.push(args);
    else if (/^eval(sha)?$/i.test(name)) calls.push({ keys: rest.slice(0, Number(count)), inner: [] });
    else if (args[1] === 'the end') isOver = true;
  });
  await work();
  await redis.echo('the end');
  await until('the end', () => isOver);
  monitor.disconnect();
  return calls;
}

/** The keys of a command, by the server's own table; none for those that have no keys. */
async function keysOf(redis: Redis, command: string[]): Promise<string[]> {
  if (command.length === 1) return [];
  try {
    return (await redis.call('COMMAND', 'GETKEYS', ...command)) as string[];
  } catch (error) {
    if (String(error).includes('no key arguments')) return [];
    throw error;
  }
}

describe('the keys of the scripts', () => {
  describe.each(['queue', 'instant'] as const)('in mode %s', (mode) => {
    let bench: ScriptBench;
    beforeAll(async () => {
      bench = await ScriptBench.open();
    });
    afterAll(() => bench.close());

    it('are all declared: no script touches any other', async () => {
      const redis = bench.redis as Redis;
      const calls = await watch(redis, () => walk(bench.empty({ ...JOURNEY_PLAN, mode })));
      const undeclared: string[] = [];
      const commands = new Set<string>();
      for (const { keys, inner } of calls) {
        for (const command of inner) {
          commands.add(String(command[0]).toUpperCase());
          undeclared.push(...(await keysOf(redis, command)).filter((key) => !keys.includes(key)));
        }
      }
      expect(undeclared).toEqual([]);
      expect([...commands]).toEqual(expect.arrayContaining(['HMGET', 'RPOP', 'RPUSH', 'RENAME', 'UNLINK', 'SETBIT', 'PUBLISH']));
      expect(['KEYS', 'SCAN', 'HGETALL', 'SMEMBERS', 'LRANGE'].filter((slow) => commands.has(slow))).toEqual([]);
    });

    it('share the hash tag of the shard', async () => {
      const shard = bench.empty({ ...JOURNEY_PLAN, mode });
      const calls = await watch(bench.redis as Redis, () => walk(shard));
      const tag = `seckill:{${shard.at.saleId}:0}:`;
      expect(calls.length).toBeGreaterThanOrEqual(JOURNEY.length);
      expect(calls.flatMap(({ keys }) => keys).filter((key) => !key.startsWith(tag))).toEqual([]);
    });
  });

  describe('on a Redis Cluster', () => {
    let folder: string;
    let cluster: TestCluster;
    let bench: ScriptBench;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'seckill-cluster-'));
      cluster = await TestCluster.start(folder);
      bench = await ScriptBench.open({ REDIS_CLUSTER_NODES: cluster.addresses });
    });
    afterAll(async () => {
      bench?.close();
      await cluster?.close();
      await rm(folder, { recursive: true, force: true });
    });

    it.each(['queue', 'instant'] as const)('every script runs in mode %s', async (mode) => {
      const shard = bench.empty({ ...JOURNEY_PLAN, mode });
      await walk(shard);
      expect(await shard.sales.epochOf(shard.at)).toBe('2');
      expect(await shard.seckill.check(shard.at)).toEqual({ outcome: 'at_rest' });
      expect(await shard.stock.tokenPlaces(shard.at, shard.itemIds)).toMatchObject({ epoch: '2', claimed: [], withdrawing: [] });
    });

    it('does refuse keys of two shards in one call, so that the walk above proves something', async () => {
      await expect(bench.redis.mget('seckill:{1:0}:sale', 'seckill:{1:1}:sale')).rejects.toThrow('CROSSSLOT');
    });
  });
});
