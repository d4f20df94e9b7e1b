import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { shardName, STOCK_CHANNEL, type SaleShard } from '../goods/index.js';
import { RedisConnections } from '../infra/redis/index.js';

/** A flag whose all-clear was lost falls by itself after this time. */
const TTL_MS = 2000;
const MAX_FLAGS = 10_000;

/**
 * Which items this process knows to be sold out, so that the crowd behind the last unit is refused without asking Redis. The scripts broadcast when an item runs dry and when tokens come back; a short time to live
 * makes good for a lost message.
 */
@Injectable()
export class SoldOutFlags implements OnModuleInit {
  private readonly logger = new Logger('SoldOutFlags');
  private readonly until = new Map<string, number>();

  constructor(private readonly redis: RedisConnections) {}

  async onModuleInit(): Promise<void> {
    const { subscriber } = this.redis;
    subscriber.on('message', (channel: string, message: string) => {
      if (channel === STOCK_CHANNEL) this.hear(message);
    });
    // Whatever was said while the connection was away is unknown.
    subscriber.on('ready', () => this.until.clear());
    await subscriber.subscribe(STOCK_CHANNEL);
  }

  /** Whether an item of a shard is known to be sold out. */
  has(shard: SaleShard, itemId: string): boolean {
    return this.isUp(`${shardName(shard)} ${itemId}`);
  }

  /** The same of all shards of a sale. */
  hasAll(saleId: string, shards: number, itemId: string): boolean {
    for (let shard = 0; shard < shards; shard += 1) {
      if (!this.has({ saleId, shard }, itemId)) return false;
    }
    return shards > 0;
  }

  private isUp(key: string): boolean {
    const untilMs = this.until.get(key);
    if (untilMs === undefined) return false;
    if (untilMs > Date.now()) return true;
    this.until.delete(key);
    return false;
  }

  /** Notes what a script answered: the item's list was empty. */
  set(shard: SaleShard, itemId: string): void {
    this.raise(`${shardName(shard)} ${itemId}`);
  }

  private hear(message: string): void {
    const space = message.indexOf(' ');
    const [event, key] = [message.slice(0, space), message.slice(space + 1)];
    if (event === 'sold_out') this.raise(key);
    else if (event === 'in_stock') this.until.delete(key);
    else this.logger.warn({ event, msg: 'unknown stock message' });
  }

  private raise(key: string): void {
    if (this.until.size >= MAX_FLAGS) this.until.clear();
    this.until.set(key, Date.now() + TTL_MS);
  }
}
