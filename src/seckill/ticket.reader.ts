import { Injectable } from '@nestjs/common';
import { parseTicket, saleKeys, type SaleShard, shardName, type TicketRecord } from '../goods/index.js';
import { RedisConnections } from '../infra/redis/index.js';
import { ShortCache } from '../infra/short-cache.js';
import type { LineStanding } from './view-of-ticket.js';

/** A place in line may be told as it was so long ago. */
const PACE_MS = 100;
const SHARDS_MAX = 10_000;

/** What a shopper has on a shard, if anything, with where the line stands. */
export interface FoundTicket extends LineStanding {
  ticket: TicketRecord | null;
}

/** Reads a shopper's ticket, over the request connection, which refuses at once while Redis is away. */
@Injectable()
export class TicketReader {
  private readonly paces = new ShortCache<LineStanding | null>(PACE_MS, SHARDS_MAX);

  constructor(private readonly redis: RedisConnections) {}

  /** The ticket; null when nothing of the sale is loaded. */
  async read(shard: SaleShard, userId: string): Promise<FoundTicket | null> {
    const stored = await this.redis.reads.hget(saleKeys.status(shard), userId);
    const line = this.paces.atHand(shardName(shard)) ?? (await this.pace(shard));
    if (line === null) return null;
    if (stored === null) return this.withoutTicket(shard);
    const ticket = parseTicket(stored);
    if (ticket.status !== 'standby') return { ...line, ticket };
    // Its units are being written for who is in the line no more: nobody comes before.
    return { ...line, ticket, standbyPosition: ((await this.redis.request.zrank(saleKeys.standby(shard), userId)) ?? 0) + 1 };
  }

  /** Whoever has none may have lost it with the state a moment ago: that is not for a cache to say. */
  private async withoutTicket(shard: SaleShard): Promise<FoundTicket | null> {
    const line = await this.readPace(shard);
    return line && { ...line, ticket: null };
  }

  /** Where the line stands: the same for all who wait in it, so a crowd that asks at once shares one answer. */
  private pace(shard: SaleShard): Promise<LineStanding | null> {
    const name = shardName(shard);
    return this.paces.get(name, async () => {
      const line = await this.readPace(shard);
      if (line === null) this.paces.forget(name);
      return line;
    });
  }

  private async readPace(shard: SaleShard): Promise<LineStanding | null> {
    const [served, rate] = await this.redis.request.hmget(saleKeys.sale(shard), 'served', 'rate');
    return served === null || served === undefined ? null : { served: Number(served), ratePerSecond: Number(rate ?? 0) };
  }
}
