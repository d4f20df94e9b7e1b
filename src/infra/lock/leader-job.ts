import { Logger } from '@nestjs/common';
import { reasonOf } from '../errors.js';
import type { LeaderLock } from './leader-lock.js';

/**
 * A scheduled job that one process at a time does: a run that is still going on is not doubled, a failure is logged and waits for the next
 * run, and `finish` waits for the run in hand, so that a shutdown cuts nothing off.
 */
export class LeaderJob {
  private readonly logger = new Logger('Job');
  private current: Promise<void> | undefined;
  private stopped = false;
  private cameThroughMs = performance.now();

  /** @param work does one run; the function it gets says whether the lock is still ours */
  constructor(
    private readonly name: string,
    private readonly lock: LeaderLock,
    private readonly work: (stillOurs: () => boolean) => Promise<void>,
  ) {}

  /** Runs once, if neither this process nor another is at it. Never throws. */
  async run(): Promise<void> {
    if (this.stopped || this.current) return;
    this.current = this.attempt();
    await this.current;
    this.current = undefined;
  }

  /** Whether a run ended well so lately, here or by leaving it to who has the lock; a new job counts as one that did. */
  cameThroughWithin(ms: number): boolean {
    return performance.now() - this.cameThroughMs <= ms;
  }

  /** Waits for the run in hand; no other one begins. */
  async finish(): Promise<void> {
    this.stopped = true;
    await this.current;
  }

  private async attempt(): Promise<void> {
    try {
      await this.lock.runExclusive(this.name, (stillOurs) => this.work(() => stillOurs() && !this.stopped));
      this.cameThroughMs = performance.now();
    } catch (error) {
      this.logger.warn({ job: this.name, reason: reasonOf(error), msg: 'run failed' });
    }
  }
}
