import { ExecutionError, Redlock } from '@sesamecare-oss/redlock';
import { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { readThenWrite } from '../ledger.js';
import { onlyItem, type Outcome, type StrategyFactory } from '../strategy.js';

const TTL_MS = 3000;
/** The library's own pauses. */
const [PAUSE_MS, LONGEST_WAIT_MS] = [200, 2000];

/**
 * Article 4's Redlock: the majority of five independent servers grants the lock. The library's own retry keeps the votes of a lost round
 * until they expire, so that several who have two of five each block everyone; here each round is one attempt, which gives its votes back.
 */
export const redlock: StrategyFactory = ({ pool, lockUrls }) => {
  const locks = new Redlock(lockUrls.map((url) => new Redis(url)), { retryCount: 0, automaticExtensionThreshold: TTL_MS / 2 });
  locks.on('error', () => undefined); // Every refused vote is one; who gets no majority hears of it below.
  return {
    async buy(userId, itemIds) {
      const itemId = onlyItem(itemIds);
      const deadline = Date.now() + LONGEST_WAIT_MS;
      while (Date.now() < deadline) {
        const outcome = await attempt(locks, itemId, (signal) => readThenWrite(pool, userId, itemId, () => !signal.aborted));
        if (outcome) return outcome;
        await delay(PAUSE_MS * (0.5 + Math.random()));
      }
      return 'busy';
    },
  };
};

/** Undefined when there was no majority. A purchase that was committed stays one, also where the lock could not be given back in time. */
async function attempt(locks: Redlock, itemId: string, work: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome | undefined> {
  const done: { outcome?: Outcome } = {};
  try {
    await locks.using([`lab:redlock:${itemId}`], TTL_MS, async (signal) => {
      done.outcome = await work(signal);
    });
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
  }
  return done.outcome;
}
