import { Redis } from 'ioredis';
import { onlyItem, type Outcome, type StrategyFactory } from '../strategy.js';
import { buyersKey, counterKey } from './article-1-keys.js';

/** As many as there are calls at a time: what WATCH watches belongs to a connection, so no two calls may share one. */
const CONNECTIONS = 200;

/** What article 1 sets out from: WATCH, look, MULTI, take, EXEC, without a retry. Any change by another makes EXEC do nothing. */
export const watchMulti: StrategyFactory = ({ redis, redisUrl }) => {
  const free = Array.from({ length: CONNECTIONS }, () => new Redis(redisUrl));
  return {
    async load(itemIds, stock) {
      await redis.set(counterKey(onlyItem(itemIds)), stock);
    },
    async buy(userId, itemIds) {
      const connection = free.pop();
      if (!connection) return 'busy';
      try {
        return await take(connection, userId, onlyItem(itemIds));
      } finally {
        free.push(connection);
      }
    },
  };
};

async function take(redis: Redis, userId: string, itemId: string): Promise<Outcome> {
  const [stock, buyers] = [counterKey(itemId), buyersKey(itemId)];
  await redis.watch(stock, buyers);
  const [left, isBuyer] = await Promise.all([redis.get(stock), redis.sismember(buyers, userId)]);
  if (isBuyer === 1 || Number(left) <= 0) {
    await redis.unwatch();
    return isBuyer === 1 ? 'already_bought' : 'sold_out';
  }
  const done = await redis.multi().decr(stock).sadd(buyers, userId).exec();
  return done === null ? 'busy' : 'sold';
}
