import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RedisConnections } from '../infra/redis/index.js';
import { CLOSED_CHANNEL } from './sessions.js';

/** Hears which sessions were closed, by whichever process. What is said while the connection is away is lost. */
@Injectable()
export class ClosedSessions implements OnModuleInit {
  private readonly listeners: ((key: string) => void)[] = [];

  constructor(private readonly redis: RedisConnections) {}

  async onModuleInit(): Promise<void> {
    const { subscriber } = this.redis;
    subscriber.on('message', (channel: string, key: string) => {
      if (channel === CLOSED_CHANNEL) for (const hear of this.listeners) hear(key);
    });
    await subscriber.subscribe(CLOSED_CHANNEL);
  }

  /** Calls `hear` with the key (`sessionKey`) of each session that is closed from now on. */
  listen(hear: (key: string) => void): void {
    this.listeners.push(hear);
  }
}
