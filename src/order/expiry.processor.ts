import { Process, Processor } from '@nestjs/bull';
import { Logger } from '@nestjs/common';
import type { Job } from 'bull';
import { setTimeout as delay } from 'node:timers/promises';
import { RedisClock } from '../infra/clock/index.js';
import { EXPIRY_QUEUE, ExpirySchedule, type ExpiryJob } from './expiry.schedule.js';
import { OrderClosing } from './order-closing.js';
import { OrderRelay } from './order-relay.js';

/** Orders expired between two relays. */
const BATCH = 200;
/** Bull goes by this machine's clock; a job that comes earlier than this by Redis time is put off instead of waited for. */
const MAX_WAIT_MS = 1500;
/** How long to come back to orders that others have in hand, and how often. */
const LINGER_MS = 1000;
const RETRY_MS = 50;
/** Pause after a failure, such as a database that is away. */
const FAILED_MS = 5000;

/** Expires unpaid orders when their time is over, and gives their units back to the sale. */
@Processor(EXPIRY_QUEUE)
export class ExpiryProcessor {
  private readonly logger = new Logger('Expiry');

  constructor(
    private readonly clock: RedisClock,
    private readonly closing: OrderClosing,
    private readonly relay: OrderRelay,
    private readonly schedule: ExpirySchedule,
  ) {}

  /**
   * Expires everything that is due, not only what is due at the job's own second. It ends only when nothing is left, or when another job
   * was put in its place: the job's own id is taken while it runs, so that is the job of a later second.
   */
  @Process()
  async expire({ data: { second } }: Job<ExpiryJob>): Promise<void> {
    const dueMs = second * 1000;
    const earlyMs = dueMs - this.clock.nowMs();
    if (earlyMs > MAX_WAIT_MS) return this.schedule.schedule([dueMs + 1000]);
    if (earlyMs > 0) await delay(earlyMs);
    try {
      const count = await this.expireAll();
      if (count > 0) this.logger.log({ count, second, msg: 'unpaid orders expired' });
      if (await this.closing.hasDue(this.clock.nowMs())) await this.schedule.schedule([this.clock.nowMs()]);
    } catch (error) {
      this.logger.error({ second, err: error, msg: 'unpaid orders not expired; trying again shortly' });
      await this.schedule.schedule([this.clock.nowMs() + FAILED_MS]);
    }
  }

  private async expireAll(): Promise<number> {
    let count = 0;
    let lastFoundMs = this.clock.nowMs();
    while (this.clock.nowMs() - lastFoundMs < LINGER_MS) {
      const nowMs = this.clock.nowMs();
      const expired = await this.closing.expireDue(nowMs, BATCH);
      if (expired.length > 0) {
        count += expired.length;
        lastFoundMs = this.clock.nowMs();
        await this.relay.relayOrders(expired);
      } else if (await this.closing.hasDue(nowMs)) await delay(RETRY_MS);
      else break;
    }
    return count;
  }
}
