import { InjectQueue } from '@nestjs/bull';
import { Injectable, Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { RedisClock } from '../infra/clock/index.js';
import { reasonOf } from '../infra/errors.js';
import { within } from '../infra/within.js';

export const EXPIRY_QUEUE = 'expiry';

/** One job per second at which orders fall due; it expires all that are due by then. */
export interface ExpiryJob {
  /** epoch seconds, Redis time */
  second: number;
}

/** `queue.add` waits without end while Redis is away, so nobody waits for it longer than this. */
const ADD_TIMEOUT_MS = 1000;
/** A job this close may already be at work and would not see an order that was committed just now. */
const TOO_CLOSE_MS = 100;

/** Makes sure that somebody looks for unpaid orders when their time is over. */
@Injectable()
export class ExpirySchedule {
  private readonly logger = new Logger('Expiry');

  constructor(
    @InjectQueue(EXPIRY_QUEUE) private readonly queue: Queue<ExpiryJob>,
    private readonly clock: RedisClock,
  ) {}

  /**
   * Schedules one job per deadline second (`payBefore` in epoch milliseconds, Redis time), however many orders share it and however often it
   * is asked for. Call it after the orders' commit. A deadline that has passed, or is about to, goes to the next second.
   * Never throws and never waits long: where Redis is away it only logs, since the sweep finds overdue orders too.
   */
  async schedule(deadlinesMs: Iterable<number>): Promise<void> {
    const nowMs = this.clock.nowMs();
    const next = Math.floor((nowMs + TOO_CLOSE_MS) / 1000) + 1;
    const seconds = new Set(Array.from(deadlinesMs, (ms) => Math.max(Math.ceil(ms / 1000), next)));
    try {
      const adding = Promise.all([...seconds].map((second) => this.add(second, nowMs)));
      await within(ADD_TIMEOUT_MS, adding, () => new Error('Redis did not take the job in time'));
    } catch (error) {
      this.logger.warn({ seconds: [...seconds], reason: reasonOf(error), msg: 'expiry not scheduled; the sweep will find it' });
    }
  }

  private async add(second: number, nowMs: number): Promise<void> {
    await this.queue.add({ second }, { jobId: `second:${second}`, delay: second * 1000 - nowMs, removeOnComplete: true, removeOnFail: true });
  }
}
