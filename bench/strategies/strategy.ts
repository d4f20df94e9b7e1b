import type { Redis } from 'ioredis';
import type { Pool } from 'mysql2/promise';

/** What a shopper is told at once. `busy`: come again; nothing was decided. */
export type Outcome = 'sold' | 'sold_out' | 'already_bought' | 'busy';

/** The servers that a technique may use. */
export interface Stores {
  pool: Pool;
  redis: Redis;
  redisUrl: string;
  /** Five Redis servers that know nothing of each other, for Redlock. */
  lockUrls: string[];
}

/** One technique: how a shopper gets one unit of each item asked for, or none. Everything else is the same for all of them. */
export interface Strategy {
  /** Puts the stock of new items where the technique looks for it, beside the table `lab_items`, where it is already. */
  load?(itemIds: readonly string[], stock: number): Promise<void>;
  buy(userId: string, itemIds: readonly string[]): Promise<Outcome>;
  /** Waits for what is written after the answer. */
  settle?(): Promise<void>;
}

export type StrategyFactory = (stores: Stores) => Strategy;

/** The item of a technique that sells one at a time. @throws when there is none */
export function onlyItem(itemIds: readonly string[]): string {
  const [itemId] = itemIds;
  if (itemId === undefined || itemIds.length > 1) throw new Error('this technique sells one item at a time');
  return itemId;
}
