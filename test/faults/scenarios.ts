import { readdir, stat, truncate } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import type { TestSale } from '../harness/shop.js';
import type { Deployment } from './harness/deployment.js';
import type { Scenario } from './harness/scenario.js';

/** The sandbox does not confirm by itself, so that its word comes when the crowd wants it. */
const NO_WORD = 'word:before:*:skip';

/** Death of a process at each step of a ticket's way. */
const deaths: Scenario[] = [
  ...(['claim:after', 'commit:before', 'commit:after', 'settle:before', 'settle:after'] as const).flatMap((point): Scenario[] =>
    (['queue', 'instant'] as const).map((mode) => ({
      fault: 'kill -9 of the worker',
      moment: `${point.replace(':', ' ')} (${mode})`,
      mode,
      inject: { worker: `${point}:1:kill` },
      kills: 'worker',
    })),
  ),
  { fault: 'kill -9 of the API', moment: 'after the Redis step of a join, before its answer', inject: { api: 'join:after:20:kill' }, kills: 'api' },
  { fault: 'kill -9 of the API', moment: 'before the wake-up is sent', inject: { api: 'wake:before:1:kill' }, kills: 'api' },
  { fault: 'kill -9 of the API', moment: 'after a payment is committed, before it is relayed', inject: { api: 'relay:before:3:kill' }, kills: 'api' },
  { fault: 'kill -9 of the API', moment: 'after a cancel is committed, before its tokens are relayed', inject: { api: 'relay:before:5:kill' }, kills: 'api', intentOf: (index) => (index % 2 === 0 ? 'cancel' : 'pay') },
  ...(['expire:after:1', 'release:before:3', 'release:after:3', 'finish:after:3'] as const).map((point): Scenario => ({
    fault: 'kill -9 of the worker',
    moment: `while unpaid orders expire: ${point.split(':').slice(0, 2).join(' ')}`,
    inject: { worker: `${point}:kill` },
    kills: 'worker',
    paymentTimeoutSeconds: 3,
    intentOf: (index) => (index % 2 === 0 ? 'abandon' : 'pay'),
  })),
  ...(['take:after', 'revive:after', 'keep:before'] as const).map((point): Scenario => ({
    fault: 'kill -9 of the API',
    moment: `while late money buys units again: ${point.replace(':', ' ')}`,
    inject: { api: `${NO_WORD};${point}:1:kill` },
    kills: 'api',
    shoppers: 60,
    intentOf: (index) => (index % 10 === 0 ? 'late' : 'keep'),
  })),
  ...(['refund:before', 'refund:after'] as const).map((point): Scenario => ({
    fault: 'kill -9 of the scheduler',
    moment: `while late money goes back: ${point.replace(':', ' ')}`,
    inject: { api: NO_WORD, scheduler: `${point}:1:kill` },
    kills: 'scheduler',
    intentOf: (index) => (index % 2 === 0 ? 'late and wrong' : 'keep'),
  })),
  { fault: 'kill -9 of the scheduler', moment: 'in the middle of a preload', inject: { scheduler: 'stage:after:1:kill' }, disturb: flushAll, kills: 'scheduler' },
  { fault: 'kill -9 of the scheduler', moment: 'after a preload put the state in place, before its commit', inject: { scheduler: 'load:after:1:kill' }, disturb: flushAll, kills: 'scheduler' },
];

/** Most of the crowd cancels what it gets, for which the others stand by: the units that nobody keeps come to everybody in the end. */
const STANDBY: Pick<Scenario, 'standbyLimit' | 'intentOf'> = { standbyLimit: 120, intentOf: (index) => (index % 5 < 3 ? 'cancel' : 'pay') };
const standby: Scenario[] = [
  { fault: 'kill -9 of the worker', moment: 'units go to a standby line: claim after', ...STANDBY, inject: { worker: 'claim:after:4:kill' }, kills: 'worker' },
  { fault: 'kill -9 of the worker', moment: 'units go to a standby line: settle before', ...STANDBY, inject: { worker: 'settle:before:3:kill' }, kills: 'worker' },
  { fault: 'kill -9 of the API', moment: 'units go to a standby line: a unit is back, before its wake-up', ...STANDBY, inject: { api: 'release:after:3:kill' }, kills: 'api' },
  { fault: 'Redis kill -9, restart with AOF', moment: 'units go to a standby line', ...STANDBY, disturb: restartRedis },
  { fault: 'Redis FLUSHALL', moment: 'units go to a standby line (instant)', ...STANDBY, mode: 'instant', disturb: flushAll },
];

const crowded: Scenario[] = [
  { fault: 'three workers and two schedulers at once', moment: 'throughout', workers: 3, schedulers: 2 },
  { fault: 'every lock granted to everyone', moment: 'throughout', workers: 3, schedulers: 2, env: { LOCKS: 'open' }, disturb: flushAll },
  { fault: 'the clock of all processes but Redis five minutes fast', moment: 'throughout', env: { CLOCK_SKEW_MS: '300000' } },
  { fault: 'the clock of all processes but Redis five minutes slow', moment: 'throughout', env: { CLOCK_SKEW_MS: '-300000' } },
];

/** The clock of one process by itself, among others that are right. */
const clocks: Scenario[] = (['api', 'worker', 'scheduler'] as const).flatMap((role) =>
  [300_000, -300_000].map((skewMs): Scenario => ({
    fault: `the clock of the ${role} alone five minutes ${skewMs > 0 ? 'fast' : 'slow'}`,
    moment: 'throughout, unpaid orders expire',
    envOf: { [role]: { CLOCK_SKEW_MS: String(skewMs) } },
    paymentTimeoutSeconds: 4,
    intentOf: (index) => (index % 4 === 0 ? 'abandon' : 'pay'),
  })),
);

const signals: Scenario[] = [
  { fault: 'Bull jobs lost', moment: 'under load, ten times', disturb: (d) => repeatedly(() => loseJobs(d)) },
  { fault: 'a worker frozen (SIGSTOP) beyond its lease', moment: 'with a batch in hand', workers: 2, inject: { worker: 'commit:before:1:freeze' }, disturb: (d) => thawAfter(d, 12_000) },
  { fault: 'a worker frozen (SIGSTOP) until its Bull job stalls', moment: 'with a batch in hand', workers: 2, inject: { worker: 'commit:after:1:freeze' }, disturb: (d) => thawAfter(d, 40_000) },
];

const redis: Scenario[] = [
  { fault: 'Redis kill -9, restart from an AOF that lost its last second', moment: 'under load', disturbAfterMs: 0, disturb: loseLastSecond },
  { fault: 'Redis kill -9, restart from an AOF that lost its last second', moment: 'under load (instant)', mode: 'instant', disturbAfterMs: 0, disturb: loseLastSecond },
  { fault: 'Redis out of memory (noeviction)', moment: 'under load, for 5 s', disturb: fillMemory },
  { fault: 'Redis out of memory (noeviction)', moment: 'under load, for 5 s (instant)', mode: 'instant', disturb: fillMemory },
  { fault: 'Redis kill -9, restart with AOF', moment: 'under load', disturb: restartRedis },
  { fault: 'Redis kill -9, restart with AOF', moment: 'under load (instant)', mode: 'instant', disturb: restartRedis },
  { fault: 'Redis FLUSHALL', moment: 'under load', disturb: flushAll },
  { fault: 'Redis FLUSHALL', moment: 'under load (instant)', mode: 'instant', disturb: flushAll },
  { fault: 'Redis frozen (SIGSTOP) for 10 s', moment: 'under load', disturb: (d) => freeze(d, 'redis') },
  { fault: 'Redis SCRIPT FLUSH', moment: 'under load', disturb: (d) => repeatedly(async () => void (await d.redis.script('FLUSH'))) },
  { fault: 'every Redis connection cut (CLIENT KILL)', moment: 'under load, ten times', disturb: (d) => repeatedly(() => cutConnections(d)) },
];

const mysql: Scenario[] = [
  { fault: 'MariaDB kill -9 and restart', moment: 'under load', disturb: restartMysql },
  { fault: 'MariaDB frozen (SIGSTOP) for 10 s', moment: 'under load', disturb: (d) => freeze(d, 'mysql') },
  { fault: 'MariaDB stopped: connections refused', moment: 'under load, for 8 s', disturb: stopMysql },
  { fault: 'MariaDB has no connections left', moment: 'under load, for 8 s', disturb: hoardConnections },
  { fault: "lock timeout: another transaction holds the sale's row", moment: 'under load, for 8 s', disturb: holdSaleRow },
  { fault: 'deadlock', moment: 'at a commit', inject: { worker: 'commit:before:1:fail:ER_LOCK_DEADLOCK' } },
  { fault: 'lost answer of a commit', moment: 'after it happened', inject: { worker: 'commit:after:1:fail:PROTOCOL_CONNECTION_LOST' } },
];

const repeats: Scenario[] = [
  { fault: 'a join sent twice by the client library', moment: 'the 10th', inject: { api: 'join:before:10:twice' } },
  { fault: 'a batch committed twice', moment: 'the first', inject: { worker: 'commit:before:1:twice' } },
  { fault: 'a batch settled twice', moment: 'the first', inject: { worker: 'settle:before:1:twice' } },
  { fault: 'a drain job run twice', moment: 'the first', inject: { worker: 'drain:before:1:twice' } },
];

/** Every fault × moment of the suite. */
export const SCENARIOS: Scenario[] = [...deaths, ...standby, ...crowded, ...clocks, ...signals, ...redis, ...mysql, ...repeats];

async function flushAll(deployment: Deployment): Promise<void> {
  deployment.forgetShoppers();
  await deployment.redis.flushall();
}

async function restartRedis({ services }: Deployment): Promise<void> {
  await services.redis.kill('SIGKILL');
  await services.redis.start();
}

/** Cuts the AOF back to what it was a second and a half before the crash, which is what `everysec` may lose and a little more. */
async function loseLastSecond(deployment: Deployment): Promise<void> {
  const { services, dir } = deployment;
  const [file] = (await readdir(join(dir, 'redis', 'appendonlydir'))).filter((name) => name.endsWith('.incr.aof')).sort().slice(-1);
  const path = join(dir, 'redis', 'appendonlydir', file ?? '');
  const { size } = await stat(path);
  await delay(1500);
  await services.redis.kill('SIGKILL');
  deployment.forgetShoppers();
  await truncate(path, size);
  await services.redis.start();
}

async function fillMemory({ redis }: Deployment): Promise<void> {
  await redis.config('SET', 'maxmemory', '1mb');
  await delay(5000);
  await redis.config('SET', 'maxmemory', '0');
}

async function loseJobs({ redis }: Deployment): Promise<void> {
  const keys = await redis.keys('{seckill-bull}:*');
  if (keys.length > 0) await redis.del(...keys);
}

async function thawAfter({ processes }: Deployment, ms: number): Promise<void> {
  await delay(ms);
  for (const service of processes) service.signal('SIGCONT');
}

async function stopMysql({ services }: Deployment): Promise<void> {
  await services.mysql.stop();
  await delay(8000);
  await services.mysql.start();
}

/** Takes every connection that the database has to give, for 8 s; only its administrator gets in besides. */
async function hoardConnections({ services, database }: Deployment): Promise<void> {
  const [rows] = await database.query<RowDataPacket[]>('SELECT @@socket AS path, @@max_connections AS most');
  const admin = await createConnection({ socketPath: rows[0]?.path, user: userInfo().username });
  await admin.query('SET GLOBAL max_connections = 10');
  const hoard: Connection[] = [];
  for (const endMs = Date.now() + 8000; Date.now() < endMs; await delay(100)) {
    const own = [0, ...hoard.map((connection) => connection.threadId)];
    const [others] = await admin.query<RowDataPacket[]>("SELECT id FROM information_schema.processlist WHERE user = 'seckill' AND id NOT IN (?)", [own]);
    for (const { id } of others) await admin.query(`KILL ${id}`).catch(() => undefined);
    while (hoard.length < 11) {
      const connection = await createConnection(services.databaseUrl).catch(() => undefined);
      if (!connection) break;
      connection.on('error', () => undefined);
      hoard.push(connection);
    }
  }
  for (const connection of hoard) connection.destroy();
  await admin.query(`SET GLOBAL max_connections = ${Number(rows[0]?.most)}`);
  await admin.end();
}

async function holdSaleRow({ database }: Deployment, sale: TestSale): Promise<void> {
  const connection = await database.getConnection();
  await connection.beginTransaction();
  await connection.query('SELECT id FROM sales WHERE id = ? FOR UPDATE', [sale.id]);
  await delay(8000);
  await connection.rollback();
  connection.release();
}

async function restartMysql({ services }: Deployment): Promise<void> {
  await services.mysql.kill('SIGKILL');
  await services.mysql.start();
}

async function freeze({ services }: Deployment, name: 'redis' | 'mysql'): Promise<void> {
  services[name].freeze();
  await delay(10_000);
  services[name].thaw();
}

async function cutConnections({ redis: own }: Deployment): Promise<void> {
  await own.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await own.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes');
}

async function repeatedly(work: () => Promise<void>): Promise<void> {
  for (let i = 0; i < 10; i += 1) {
    await work();
    await delay(50);
  }
}
