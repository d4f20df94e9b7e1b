import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { LeaderJob, LeaderLock } from '../../infra/lock/index.js';
import { PaymentVoiding } from './payment-voiding.js';

const EVERY_MS = 2000;

/** Tells providers of void payments until they have heard it. Runs on every scheduler, one at a time by a lock that only saves double work: to cancel twice is harmless. */
@Injectable()
export class VoidJob implements BeforeApplicationShutdown {
  private readonly job: LeaderJob;

  constructor(voiding: PaymentVoiding, lock: LeaderLock) {
    this.job = new LeaderJob('void', lock, async () => void (await voiding.tellDue()));
  }

  @Interval(EVERY_MS)
  run(): Promise<void> {
    return this.job.run();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.finish();
  }
}
