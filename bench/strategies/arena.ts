import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedisNode, startServices, type RedisNode, type Services } from '../../scripts/lib/services.mjs';
import type { Contestant } from './contestant.js';
import { createTables, openPool } from './ledger.js';
import { Service } from './service.js';
import { TechniqueContestant, type Bench } from './technique-contestant.js';
import { TECHNIQUES } from './techniques/index.js';

const LOCK_NODES = 5;
/** The names of all who can take part. */
export const CONTESTANTS: readonly string[] = [...TECHNIQUES.map(({ name }) => name), 'service-queue', 'service-instant'];

interface Wishes {
  /** A folder for data and logs, which goes with the arena. */
  dir: string;
  shoppers: number;
  /** Names of contestants; without it all take part. */
  only?: string[] | undefined;
  say: (line: string) => void;
}

/** Private servers, all contestants as processes, and the signed-in crowd. Always `close()` it. */
export class Arena {
  private readonly closers: (() => unknown)[] = [];
  private building: Promise<void> = Promise.resolve();
  private closing: Promise<void> | undefined;
  readonly contestants: Contestant[] = [];
  tokens: string[] = [];
  storePids: number[] = [];
  bench!: Bench;

  /** Starts everything. */
  open(wishes: Wishes): Promise<void> {
    this.building = this.build(wishes);
    return this.building;
  }

  /** Ends everything that was started, the newest first, also what is being started just now. Whoever asks again waits for the same end. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    await this.building.catch(() => undefined); // Who opened it is told.
    for (const close of this.closers.splice(0).reverse()) await close();
  }

  private async build({ dir, shoppers, only, say }: Wishes): Promise<void> {
    say('starting MariaDB, Redis and five more Redis servers for Redlock');
    await this.startStores(dir);
    const service = new Service(this.bench, dir);
    say(`making ${shoppers} signed-in shoppers`);
    this.tokens = await service.prepare(shoppers);
    await createTables(this.bench.pool);
    say('starting the contestants');
    const isWanted = ({ name }: { name: string }): boolean => !only || only.includes(name);
    this.closers.push(() => service.stop());
    const techniques = TECHNIQUES.filter(isWanted).map(async (technique) => {
      const contestant = await TechniqueContestant.start(technique, this.bench);
      this.closers.push(() => contestant.stop());
      return contestant;
    });
    // Also where one fails, the others have to be there to be stopped.
    const [started] = await Promise.all([Promise.all(techniques), service.start()]).finally(() => Promise.allSettled(techniques));
    this.contestants.push(...started, ...[service.inMode('queue'), service.inMode('instant')].filter(isWanted));
  }

  private async startStores(dir: string): Promise<void> {
    const services: Services = await startServices({ dataDir: dir, announce: false });
    this.closers.push(() => services.stop());
    const nodes: RedisNode[] = [];
    for (let n = 1; n <= LOCK_NODES; n += 1) {
      const node = await startRedisNode({ dataDir: join(dir, `lock-${n}`) });
      this.closers.push(() => node.close());
      nodes.push(node);
    }
    const { databaseUrl, redisUrl, mysqlPid = 0, redisPid = 0 } = services;
    const [pool, redis] = [openPool(databaseUrl, 2), new Redis(redisUrl)];
    this.closers.push(() => redis.disconnect(), () => pool.end());
    this.storePids = [mysqlPid, redisPid, ...nodes.map(({ pid = 0 }) => pid)];
    this.bench = { pool, redis, databaseUrl, redisUrl, lockUrls: nodes.map(({ url }) => url) };
  }
}
