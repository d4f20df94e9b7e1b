import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { shardName, STOCK_CHANNEL, type SaleShard } from '../goods/index.js';
import { RedisConnections } from '../infra/redis/index.js';

/** A flag whose all-clear was lost falls by itself after this time. */
const TTL_MS = 2000;
const MAX_FLAGS = 10_000;

interface Flag {
  untilMs: number;
  /** It was only heard of: nobody of this process has asked Redis since the item ran dry. */
  isUnasked: boolean;
}

/**
 * Which items this process knows to be sold out, so that the crowd behind the last unit is refused without asking Redis. The scripts broadcast when an item runs dry and when tokens come back; a short time to live
 * makes good for a lost message.
 */
@Injectable()
export class SoldOutFlags implements OnModuleInit {
  private readonly logger = new Logger('SoldOutFlags');
  private readonly flags = new Map<string, Flag>();

  constructor(private readonly redis: RedisConnections) {}

  async onModuleInit(): Promise<void> {
    const { subscriber } = this.redis;
    subscriber.on('message', (channel: string, message: string) => {
      if (channel === STOCK_CHANNEL) this.hear(message);
    });
    // Whatever was said while the connection was away is unknown.
    subscriber.on('ready', () => this.flags.clear());
    await subscriber.subscribe(STOCK_CHANNEL);
  }

  /** Whether an item of a shard is known to be sold out. */
  has(shard: SaleShard, itemId: string): boolean {
    return this.standing(shard, itemId) !== undefined;
  }

  /**
   * Whether a join for the item is refused without asking Redis. The first one after a broadcast is not: only a refusal by Redis leaves a
   * mark there, by which the last unit of another shard moves here. It stands for all who are refused until the flag falls.
   */
  refuses(shard: SaleShard, itemId: string): boolean {
    const flag = this.standing(shard, itemId);
    if (!flag?.isUnasked) return flag !== undefined;
    flag.isUnasked = false;
    return false;
  }

  /** Whether it is known to be sold out on all shards of a sale. */
  hasAll(saleId: string, shards: number, itemId: string): boolean {
    for (let shard = 0; shard < shards; shard += 1) {
      if (!this.has({ saleId, shard }, itemId)) return false;
    }
    return shards > 0;
  }

  private standing(shard: SaleShard, itemId: string): Flag | undefined {
    const key = keyOf(shard, itemId);
    const flag = this.flags.get(key);
    if (!flag || flag.untilMs > Date.now()) return flag;
    this.flags.delete(key);
    return undefined;
  }

  /** Notes what a script answered: the item's list was empty. */
  set(shard: SaleShard, itemId: string): void {
    this.raise(keyOf(shard, itemId), false);
  }

  private hear(message: string): void {
    const space = message.indexOf(' ');
    const [event, key] = [message.slice(0, space), message.slice(space + 1)];
    if (event === 'sold_out') this.raise(key, true);
    else if (event === 'in_stock') this.flags.delete(key);
    else this.logger.warn({ event, msg: 'unknown stock message' });
  }

  private raise(key: string, isUnasked: boolean): void {
    if (this.flags.size >= MAX_FLAGS) this.flags.clear();
    this.flags.set(key, { untilMs: Date.now() + TTL_MS, isUnasked });
  }
}

/** As the broadcasts name it. */
const keyOf = (shard: SaleShard, itemId: string): string => `${shardName(shard)} ${itemId}`;
