import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readThenWrite } from '../ledger.js';
import { onlyItem, type Outcome, type StrategyFactory } from '../strategy.js';

const TTL_MS = 3000;
const RENEW_MS = TTL_MS / 3;
/** A shopper tries again after a pause of this length, give or take half of it, until the time is up. */
const [PAUSE_MS, LONGEST_WAIT_MS] = [50, 2000];

// Only the owner may renew or release, and the look and the deed are one step: else a late owner would take away the next one's lock.
const RENEW = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** Article 4's lock over processes, with all of its remedies: one command to take it, an owner's token, a watchdog, release in `finally`. */
export const redisLock: StrategyFactory = ({ pool, redis }) => ({
  buy(userId, itemIds) {
    const itemId = onlyItem(itemIds);
    return locked(redis, `lab:lock:${itemId}`, (isStillMine) => readThenWrite(pool, userId, itemId, isStillMine));
  },
});

async function locked(redis: Redis, key: string, work: (isStillMine: () => boolean) => Promise<Outcome>): Promise<Outcome> {
  const owner = randomUUID();
  if (!(await acquire(redis, key, owner))) return 'busy';
  const watchdog = new Watchdog(redis, key, owner);
  try {
    return await work(() => watchdog.isStillMine);
  } finally {
    watchdog.stop();
    await redis.eval(RELEASE, 1, key, owner);
  }
}

async function acquire(redis: Redis, key: string, owner: string): Promise<boolean> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  while (Date.now() < deadline) {
    if ((await redis.set(key, owner, 'PX', TTL_MS, 'NX')) === 'OK') return true;
    await delay(PAUSE_MS * (0.5 + Math.random()));
  }
  return false;
}

/** Renews the lock while the work goes on; once that fails, the work must not be kept. */
class Watchdog {
  private readonly timer: NodeJS.Timeout;
  private expiresAt = Date.now() + TTL_MS;

  constructor(
    private readonly redis: Redis,
    private readonly key: string,
    private readonly owner: string,
  ) {
    this.timer = setInterval(() => void this.renew().catch(() => undefined), RENEW_MS);
  }

  get isStillMine(): boolean {
    return Date.now() < this.expiresAt;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async renew(): Promise<void> {
    const askedAt = Date.now();
    const renewed = await this.redis.eval(RENEW, 1, this.key, this.owner, TTL_MS);
    this.expiresAt = renewed === 1 ? askedAt + TTL_MS : 0;
  }
}
