import { onlyItem, type Outcome, type StrategyFactory } from '../strategy.js';
import { takeInDatabase } from './conditional-update.js';

/** How long a shopper's mark lives; a sale is over by then. */
const MARK_SECONDS = 3600;

/**
 * Where article 4 ends: a map of what is sold out in this process, a mark per shopper and item (SET NX), a counter in Redis that lets only
 * as many through as there are units, and the conditional update, which decides. Whoever fails gives back what was taken on the way.
 */
export const redisPreDecrement: StrategyFactory = ({ pool, redis }) => {
  const soldOut = new Set<string>();
  const stockOf = (itemId: string): string => `lab:stock:${itemId}`;

  /** The unit goes back before the flag is lowered, so that who comes in now finds it. */
  async function giveBack(itemId: string): Promise<void> {
    await redis.incr(stockOf(itemId));
    soldOut.delete(itemId);
  }

  async function take(userId: string, itemId: string): Promise<Outcome> {
    if ((await redis.decr(stockOf(itemId))) < 0) {
      await redis.incr(stockOf(itemId));
      soldOut.add(itemId);
      return 'sold_out';
    }
    try {
      const outcome = await takeInDatabase(pool, userId, itemId);
      if (outcome !== 'sold') await giveBack(itemId);
      return outcome;
    } catch (error) {
      await giveBack(itemId);
      throw error;
    }
  }

  return {
    async load(itemIds, stock) {
      await redis.set(stockOf(onlyItem(itemIds)), stock);
    },
    async buy(userId, itemIds) {
      const itemId = onlyItem(itemIds);
      if (soldOut.has(itemId)) return 'sold_out';
      const mark = `lab:bought:${itemId}:${userId}`;
      if ((await redis.set(mark, '1', 'EX', MARK_SECONDS, 'NX')) === null) return 'already_bought';
      const bought = { outcome: undefined as Outcome | undefined };
      try {
        bought.outcome = await take(userId, itemId);
        return bought.outcome;
      } finally {
        // Who got nothing must read "sold out" the next time, and not "already bought".
        if (bought.outcome !== 'sold' && bought.outcome !== 'already_bought') await redis.del(mark);
      }
    },
  };
};
