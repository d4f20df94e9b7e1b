import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { reasonOf } from '../errors.js';
import { RedisConnections } from '../redis/index.js';

const INTERVAL_MS = 2000;
/** The clock is wrong by half of this at most. */
const MAX_ROUND_TRIP_MS = 200;

/**
 * The service's one clock: Redis time. The offset to the local clock is measured every two seconds, halving the round trip
 * (as NTP does), and reading it costs nothing. Where Redis can't be asked, the last known offset goes on.
 */
@Injectable()
export class RedisClock implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Clock');
  private offsetMs = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly redis: RedisConnections) {}

  async onModuleInit(): Promise<void> {
    await this.measure();
    this.timer = setInterval(() => void this.measure(), INTERVAL_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Redis time in epoch milliseconds. */
  nowMs(): number {
    return Date.now() + this.offsetMs;
  }

  /** Measures once. An answer that was long in coming says little about the time, since nobody knows when it was given: it is not believed. */
  async measure(): Promise<void> {
    try {
      const sentMs = Date.now();
      const [seconds, micros] = await this.redis.work.time();
      const receivedMs = Date.now();
      if (receivedMs - sentMs > MAX_ROUND_TRIP_MS) return;
      this.offsetMs = Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - (sentMs + receivedMs) / 2);
      if (Math.abs(this.offsetMs) > 1000) this.logger.warn({ offsetMs: this.offsetMs, msg: 'this machine and Redis disagree about the time' });
    } catch (error) {
      this.logger.warn({ reason: reasonOf(error), msg: 'clock not measured' });
    }
  }
}
