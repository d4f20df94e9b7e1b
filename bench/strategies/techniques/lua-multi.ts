import { randomUUID } from 'node:crypto';
import type { Pool } from 'mysql2/promise';
import type { Outcome, StrategyFactory } from '../strategy.js';

/**
 * Takes one unit of each item of a basket, or none.
 *
 * KEYS[1]  set of the buyers
 * KEYS[2…] counters of the units left, one an item
 * ARGV[1]  shopper
 * ARGV[2…] quantities, in the order of the counters
 * answers 0 already bought, 1 taken, 2 not enough of some item (the article's numbers), -1 an item is not loaded
 */
const TAKE = `
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 0 end
for i = 2, #KEYS do
  local left = tonumber(redis.call('GET', KEYS[i]))
  if not left then return -1 end
  if left < tonumber(ARGV[i]) then return 2 end
end
for i = 2, #KEYS do redis.call('DECRBY', KEYS[i], ARGV[i]) end
redis.call('SADD', KEYS[1], ARGV[1])
return 1`;

const OUTCOMES = new Map<unknown, Outcome>([[0, 'already_bought'], [1, 'sold'], [2, 'sold_out']]);

/** A key of the sale that begins with this item. They share a hash tag, so that they lie on one node of a cluster. */
export const basketKey = (firstItemId: string, name: string): string => `lab:{basket:${firstItemId}}:${name}`;

/** Article 0: a whole basket in one step of Redis, and the order written afterwards, from the memory of this process. */
export const luaMulti: StrategyFactory = ({ pool, redis }) => {
  redis.defineCommand('takeBasket', { lua: TAKE });
  const takeBasket = (redis as unknown as { takeBasket(keys: number, ...args: string[]): Promise<unknown> }).takeBasket.bind(redis);
  const writer = new OrderWriter(pool);
  const keysOf = (itemIds: readonly string[]): string[] => ['buyers', ...itemIds].map((name) => basketKey(itemIds[0] ?? '', name));
  return {
    async load(itemIds, stock) {
      const [, ...counters] = keysOf(itemIds);
      await redis.mset(Object.fromEntries(counters.map((key) => [key, stock])));
    },
    async buy(userId, itemIds) {
      const keys = keysOf(itemIds);
      const outcome = OUTCOMES.get(await takeBasket(keys.length, ...keys, userId, ...itemIds.map(() => '1')));
      if (!outcome) throw new Error('an item is not loaded');
      if (outcome === 'sold') writer.add(userId, itemIds);
      return outcome;
    },
    settle: () => writer.flushed(),
  };
};

/** Writes orders in batches, one after the other, while shoppers have their answers already. What it has in memory dies with the process. */
class OrderWriter {
  private waiting: [string, string, string][] = [];
  private work: Promise<void> | undefined;

  constructor(private readonly pool: Pool) {}

  add(userId: string, itemIds: readonly string[]): void {
    const id = randomUUID();
    this.waiting.push(...itemIds.map((itemId): [string, string, string] => [id, itemId, userId]));
    this.work ??= this.write().finally(() => (this.work = undefined));
    this.work.catch(() => undefined); // `flushed` throws it.
  }

  async flushed(): Promise<void> {
    while (this.work) await this.work;
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, 500);
      const rows = batch.map(() => '(?, ?, ?, UTC_TIMESTAMP(3))').join(', ');
      await this.pool.query(`INSERT INTO lab_orders (id, item_id, user_id, created_at) VALUES ${rows}`, batch.flat());
    }
  }
}
