import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ticketChannel, type SaleShard } from '../../goods/index.js';
import { reasonOf } from '../../infra/errors.js';
import { RedisConnections } from '../../infra/redis/index.js';
import type { ShardWatch } from './shard-watch.js';

/**
 * Hears, over the process's one subscriber connection, whose tickets have changed, for the shards that are watched here. A hint says where to
 * look and nothing more; one that is lost costs some seconds.
 */
@Injectable()
export class TicketHints implements OnModuleInit {
  private readonly logger = new Logger('TicketStreams');
  private readonly watches = new Map<string, ShardWatch>();

  constructor(private readonly redis: RedisConnections) {}

  onModuleInit(): void {
    const { subscriber } = this.redis;
    subscriber.on('message', (channel: string, message: string) => {
      const watch = this.watches.get(channel);
      if (message === '*') watch?.lookAtAll();
      else watch?.look(message.split(' '));
    });
    // Whatever was said while the connection was away is unknown.
    subscriber.on('ready', () => {
      for (const watch of this.watches.values()) watch.lookAtAll();
    });
  }

  /** Brings the hints of a shard to this watch. Resolves when they are sure to come; while Redis is away they come later. */
  async follow(watch: ShardWatch): Promise<void> {
    const channel = ticketChannel(watch.shard);
    this.watches.set(channel, watch);
    await this.redis.subscriber.subscribe(channel);
  }

  unfollow(shard: SaleShard): void {
    const channel = ticketChannel(shard);
    this.watches.delete(channel);
    this.redis.subscriber.unsubscribe(channel).catch((error: unknown) => this.logger.warn({ channel, reason: reasonOf(error), msg: 'not unsubscribed' }));
  }
}
