import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from './harness/deployment.js';
import type { Scenario } from './harness/scenario.js';

/** Death of a process at each step of a ticket's way. */
const deaths: Scenario[] = [
  ...(['claim:after', 'commit:before', 'commit:after', 'settle:before', 'settle:after'] as const).flatMap((point): Scenario[] =>
    (['queue', 'instant'] as const).map((mode) => ({
      fault: 'kill -9 of the worker',
      moment: `${point.replace(':', ' ')} (${mode})`,
      mode,
      inject: { worker: `${point.replace(':', ':')}:2:kill` },
      kills: 'worker',
    })),
  ),
  { fault: 'kill -9 of the API', moment: 'after the Redis step of a join, before its answer', inject: { api: 'join:after:20:kill' }, kills: 'api' },
  { fault: 'kill -9 of the API', moment: 'before the wake-up is sent', inject: { api: 'wake:before:1:kill' }, kills: 'api' },
  { fault: 'kill -9 of the API', moment: 'after a payment is committed, before it is relayed', inject: { api: 'relay:before:3:kill' }, kills: 'api' },
  { fault: 'kill -9 of the scheduler', moment: 'in the middle of a preload', inject: { scheduler: 'stage:after:1:kill' }, disturb: flushAll, kills: 'scheduler' },
  { fault: 'kill -9 of the scheduler', moment: 'after a preload put the state in place, before its commit', inject: { scheduler: 'load:after:1:kill' }, disturb: flushAll, kills: 'scheduler' },
];

const crowded: Scenario[] = [
  { fault: 'three workers and two schedulers at once', moment: 'throughout', workers: 3, schedulers: 2 },
  { fault: 'every lock granted to everyone', moment: 'throughout', workers: 3, schedulers: 2, env: { LOCKS: 'open' }, disturb: flushAll },
  { fault: 'the clock of all processes but Redis five minutes fast', moment: 'throughout', env: { CLOCK_SKEW_MS: '300000' } },
  { fault: 'the clock of all processes but Redis five minutes slow', moment: 'throughout', env: { CLOCK_SKEW_MS: '-300000' } },
];

const redis: Scenario[] = [
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
export const SCENARIOS: Scenario[] = [...deaths, ...crowded, ...redis, ...mysql, ...repeats];

async function flushAll(deployment: Deployment): Promise<void> {
  await deployment.redis.flushall();
}

async function restartRedis({ services }: Deployment): Promise<void> {
  await services.redis.kill('SIGKILL');
  await services.redis.start();
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
