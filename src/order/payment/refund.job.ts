import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { LeaderJob, LeaderLock } from '../../infra/lock/index.js';
import { Refunding } from './refunding.js';

const EVERY_MS = 2000;

/** Sends back what is due. Runs on every scheduler, one at a time by a lock that only saves double work: a provider refunds a payment once. */
@Injectable()
export class RefundJob implements BeforeApplicationShutdown {
  private readonly job: LeaderJob;

  constructor(refunding: Refunding, lock: LeaderLock) {
    this.job = new LeaderJob('refund', lock, async () => void (await refunding.refundDue()));
  }

  @Interval(EVERY_MS)
  run(): Promise<void> {
    return this.job.run();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.finish();
  }
}
