import { readThenWrite } from '../ledger.js';
import { onlyItem, type StrategyFactory } from '../strategy.js';

/** Shoppers wait no longer for their turn; then they are asked to come again. */
const LONGEST_WAIT_MS = 2000;

/** Article 4's JVM lock: one purchase of an item at a time, the look included. It knows nothing of other processes. */
export const inProcessLock: StrategyFactory = ({ pool }) => {
  const lines = new Map<string, Promise<unknown>>();
  return {
    buy(userId, itemIds) {
      const itemId = onlyItem(itemIds);
      const deadline = Date.now() + LONGEST_WAIT_MS;
      const mine = (lines.get(itemId) ?? Promise.resolve()).then(() => (Date.now() > deadline ? 'busy' : readThenWrite(pool, userId, itemId)));
      // One that failed lets the next one in all the same.
      lines.set(itemId, mine.catch(() => undefined));
      return mine;
    },
  };
};
