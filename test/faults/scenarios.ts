import {
  cutConnections, fillMemory, flushAll, freeze, hoardConnections, holdSaleRow, loseJobs, loseLastSecond, repeatedly, restartMysql, restartRedis, stopMysql, thawAfter,
} from './harness/disturbances.js';
import type { MerchantPlan } from './harness/merchant.js';
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

/** A merchant hears everything: some orders are paid, some cancelled, some stay as they are. */
const EVENTS: Pick<Scenario, 'intentOf' | 'merchant'> = {
  intentOf: (index) => (['pay', 'cancel', 'keep'] as const)[index % 3] ?? 'pay',
  merchant: {},
};
/** What happens before the disturbance is over has to wait. */
const WAITING: MerchantPlan = { meanwhile: 500 };
const GIVEN_UP: MerchantPlan = { meanwhile: 410, replays: true };
const eventsOut: Scenario[] = [
  { fault: 'kill -9 of the scheduler', moment: 'events go out: handed on, not committed', ...EVENTS, inject: { scheduler: 'publish:before:2:kill' }, kills: 'scheduler' },
  { fault: 'kill -9 of the scheduler', moment: 'events go out: sent, not written down', ...EVENTS, merchant: { killsSchedulerAt: 20 }, kills: 'scheduler' },
  { fault: 'kill -9 of the scheduler', moment: 'events go out: answered, not written down', ...EVENTS, inject: { scheduler: 'delivered:before:20:kill' }, kills: 'scheduler' },
  { fault: 'kill -9 of the scheduler', moment: 'events go out: written down', ...EVENTS, inject: { scheduler: 'delivered:after:20:kill' }, kills: 'scheduler' },
  { fault: 'an outcome written down twice', moment: 'events go out: the 20th', ...EVENTS, inject: { scheduler: 'delivered:before:20:twice' } },
  { fault: 'lost answer of a commit', moment: 'events go out: after an outcome was written down', ...EVENTS, inject: { scheduler: 'delivered:after:20:fail:PROTOCOL_CONNECTION_LOST' } },
  { fault: 'a scheduler frozen (SIGSTOP) beyond its claims', moment: 'events go out: with messages in hand', ...EVENTS, schedulers: 2, inject: { scheduler: 'delivered:before:20:freeze' }, disturb: (d) => thawAfter(d, 40_000) },
  { fault: 'three schedulers at once', moment: 'events go out', ...EVENTS, schedulers: 3, workers: 2 },
  { fault: 'Redis kill -9, restart with AOF', moment: 'events wait', ...EVENTS, merchant: WAITING, disturb: restartRedis },
  { fault: 'Redis FLUSHALL', moment: 'events wait', ...EVENTS, merchant: WAITING, disturb: flushAll },
  { fault: 'MariaDB kill -9 and restart', moment: 'events wait', ...EVENTS, merchant: WAITING, disturb: restartMysql },
  { fault: 'MariaDB kill -9 and restart', moment: 'events go out', ...EVENTS, disturb: restartMysql },
  { fault: 'kill -9 of the API', moment: 'dead letters are replayed, before its answer', ...EVENTS, merchant: GIVEN_UP, inject: { api: 'replay:after:1:kill' }, kills: 'api' },
  { fault: 'kill -9 of the scheduler', moment: 'dead letters are replayed: sent, not written down', ...EVENTS, merchant: { ...GIVEN_UP, killsSchedulerAt: 20 }, kills: 'scheduler' },
];

/** Every fault × moment of the suite. */
export const SCENARIOS: Scenario[] = [...deaths, ...standby, ...crowded, ...clocks, ...signals, ...redis, ...mysql, ...repeats, ...eventsOut];
