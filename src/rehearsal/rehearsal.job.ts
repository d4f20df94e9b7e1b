import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { LeaderJob, LeaderLock } from '../infra/lock/index.js';
import { Heartbeat } from './heartbeat.js';
import { RehearsalRunner } from './rehearsal.runner.js';
import { Rehearsals, type RehearsalProgress } from './rehearsals.js';

const EVERY_MS = 5000;

/**
 * Cleans up after a rehearsal whose process died, and marks it as failed. Runs on every scheduler, one at a time by a lock that only saves
 * double work: whose it is stands in its row.
 */
@Injectable()
export class RehearsalJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Rehearsal');
  private readonly job: LeaderJob;

  constructor(
    private readonly rehearsals: Rehearsals,
    private readonly runner: RehearsalRunner,
    lock: LeaderLock,
  ) {
    this.job = new LeaderJob('rehearsal', lock, () => this.buryDead());
  }

  @Interval(EVERY_MS)
  run(): Promise<void> {
    return this.job.run();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.finish();
  }

  private async buryDead(): Promise<void> {
    const dead = await this.rehearsals.takeOver();
    if (!dead) return;
    this.logger.warn({ rehearsalId: dead.id, phase: dead.phase, msg: 'the process that ran it has died; cleaning up' });
    const progress: RehearsalProgress = { phase: 'cleaning', joined: dead.joined, decided: dead.decided, paid: dead.paid };
    const heartbeat = new Heartbeat(this.rehearsals, dead, progress);
    try {
      await this.runner.conclude(dead, progress, { state: 'failed', reason: `the process that ran it died while ${dead.phase}` });
    } finally {
      await heartbeat.stop();
    }
  }
}
