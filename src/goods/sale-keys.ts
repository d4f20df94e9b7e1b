/** One shard of a sale; all of its keys lie on one Redis node. */
export interface SaleShard {
  saleId: string;
  shard: number;
}

/** Channel on which the scripts say that an item of a shard ran dry or has tokens again: `sold_out|in_stock <saleId>:<shard> <itemId>`. */
export const STOCK_CHANNEL = 'seckill:stock';

/**
 * Channel on which the scripts say whose tickets of a shard have changed, as ids of users with blanks between them, or `*` for all. A channel
 * a shard, so that a process hears only of those it has open streams for.
 */
export const ticketChannel = ({ saleId, shard }: SaleShard): string => `seckill:tickets:${saleId}:${shard}`;

const PREFIX = 'seckill:';
const tag = ({ saleId, shard }: SaleShard): string => `${PREFIX}{${saleId}:${shard}}`;

/** Builds every key of a shard. All share the hash tag `{<saleId>:<shard>}`, as Redis Cluster demands of a script's keys. */
export const saleKeys = {
  /** hash: window, state, mode, limits, epoch, counters */
  sale: (s: SaleShard): string => `${tag(s)}:sale`,
  /** hash: item id → item as JSON */
  goods: (s: SaleShard): string => `${tag(s)}:goods`,
  /** list: stock tokens (serials), taken from the right */
  stock: (s: SaleShard, itemId: string): string => `${tag(s)}:stock:${itemId}`,
  /** list: waiting tickets as `<seq> <user id>`, in from the left, out to the right */
  queue: (s: SaleShard): string => `${tag(s)}:queue`,
  /** hash: user id → live tickets, 0 or 1 */
  count: (s: SaleShard): string => `${tag(s)}:count`,
  /** hash: user id:item id → units in live orders */
  units: (s: SaleShard): string => `${tag(s)}:units`,
  /** hash: user id → ticket as JSON */
  status: (s: SaleShard): string => `${tag(s)}:status`,
  /** hash: ticket id → ticket with its tokens as JSON, until settled */
  claimed: (s: SaleShard): string => `${tag(s)}:claimed`,
  /** set: ids of the claimed tickets that a drain has in hand */
  working: (s: SaleShard): string => `${tag(s)}:working`,
  /** sorted set: user id → `seq` of the ticket, of those who stand by for units that come back */
  standby: (s: SaleShard): string => `${tag(s)}:standby`,
  /** hash: withdrawal id → item and serials that an operator is taking out of sale, until MySQL has them */
  withdrawing: (s: SaleShard): string => `${tag(s)}:withdrawing`,
  /** bitmap: which rows of the token_returns outbox were already put back */
  returned: (s: SaleShard): string => `${tag(s)}:returned`,
  /** string: the answer to the join that a shopper made with an idempotency key (its digest); for a day */
  answer: (s: SaleShard, userId: string, keyDigest: string): string => `${tag(s)}:answer:${userId}:${keyDigest}`,
  /** where one build of the state is prepared before it is put in place; no other build writes there */
  staging: (key: string, buildId: string): string => `${key}:building:${buildId}`,
};

/**
 * The shard a shopper always lands on: FNV-1a over the user id, so that near ids spread.
 * @see http://www.isthe.com/chongo/tech/comp/fnv/
 */
export function shardOf(userId: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < userId.length; i += 1) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193) >>> 0;
  return hash % shards;
}

/** The shards of a sale, 0 to `shards - 1`. */
export function shardsOf(saleId: string, shards: number): SaleShard[] {
  return Array.from({ length: shards }, (_, shard) => ({ saleId, shard }));
}
