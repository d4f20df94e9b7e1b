import { buyersKey, counterKey } from './article-1-keys.js';
import { onlyItem, type Outcome, type StrategyFactory } from '../strategy.js';

/**
 * Takes one unit for one shopper.
 *
 * KEYS[1] counter of the units left
 * KEYS[2] set of the buyers
 * ARGV[1] shopper
 * answers 2 already bought, 0 sold out, 1 taken (the article's numbers), -1 the item is not loaded
 */
const TAKE = `
if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return 2 end
local left = tonumber(redis.call('GET', KEYS[1]))
if not left then return -1 end
if left <= 0 then return 0 end
redis.call('DECR', KEYS[1])
redis.call('SADD', KEYS[2], ARGV[1])
return 1`;

const OUTCOMES = new Map<unknown, Outcome>([[2, 'already_bought'], [0, 'sold_out'], [1, 'sold']]);

/** Article 1: the check, the unit and the buyer in one step of Redis. The set of buyers is all there is of an order. */
export const luaSingle: StrategyFactory = ({ redis }) => {
  // Sends the hash, and the text only where the server does not know it (any more).
  redis.defineCommand('takeOne', { lua: TAKE, numberOfKeys: 2 });
  const takeOne = (redis as unknown as { takeOne(...args: string[]): Promise<unknown> }).takeOne.bind(redis);
  return {
    async load(itemIds, stock) {
      await redis.set(counterKey(onlyItem(itemIds)), stock);
    },
    async buy(userId, itemIds) {
      const itemId = onlyItem(itemIds);
      const outcome = OUTCOMES.get(await takeOne(counterKey(itemId), buyersKey(itemId), userId));
      if (!outcome) throw new Error('the item is not loaded');
      return outcome;
    },
  };
};
