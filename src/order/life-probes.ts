import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { ReservedPool, select } from '../infra/database/index.js';
import { LifeSigns } from '../infra/health/index.js';
import { DRAIN_QUEUE } from '../seckill/index.js';
import { SweepJob } from './sweep.job.js';

/** The sweep runs every second; one that has not come through for so long hangs, or fails again and again. */
const SWEPT_WITHIN_MS = 10_000;

/** A worker can work when it takes jobs from Bull, over connections that stand, and the drain's own ones reach MySQL. */
@Injectable()
export class WorkerProbe {
  constructor(signs: LifeSigns, @InjectQueue(DRAIN_QUEUE) queue: Queue, pool: ReservedPool) {
    signs.speakFor('worker', async () => {
      const isLocal = true;
      if ((await queue.isPaused(isLocal)) || (await queue.isPaused())) throw new Error('its queue is paused');
      if (!queue.clients.every(({ status }) => status === 'ready')) throw new Error('its queue is not connected');
      await select(pool.dataSource, 'SELECT 1');
    });
  }
}

/** A scheduler can work when its sweep comes through, or is left to the scheduler that has the lock. */
@Injectable()
export class SchedulerProbe {
  constructor(signs: LifeSigns, sweep: SweepJob) {
    signs.speakFor('scheduler', () => {
      if (!sweep.cameThroughWithin(SWEPT_WITHIN_MS)) throw new Error('its sweep does not come through');
    });
  }
}
