import { InjectQueue } from '@nestjs/bull';
import { Injectable, Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { reasonOf } from '../infra/errors.js';
import { SparingLog } from '../infra/logging/sparing-log.js';
import { shardName, type SaleShard } from '../goods/index.js';

export const DRAIN_QUEUE = 'drain';
const PENDING_MAX = 1000;

/** Wakes the drain of a shard. Bull carries the signal only; the tickets stand in the shard's own list. */
@Injectable()
export class DrainSignal {
  private readonly logger = new Logger('DrainSignal');
  private readonly sparing = new SparingLog();

  constructor(@InjectQueue(DRAIN_QUEUE) private readonly queue: Queue<SaleShard>) {}

  /**
   * Sends the wake-up without waiting for it: `add` can hang for as long as Redis is away, and no request may hang with it.
   * A signal that is lost is made good for by the sweep.
   */
  wake(shard: SaleShard): void {
    this.queue.add({ saleId: shard.saleId, shard: shard.shard }).catch((error: unknown) => {
      this.sparing.say('not sent', (leftOut) => this.logger.warn({ shard: shardName(shard), leftOut, reason: reasonOf(error), msg: 'wake-up not sent' }));
    });
  }

  /** The shards for which a wake-up waits that no worker has taken yet. Waits for as long as Redis is away. */
  async pending(): Promise<Set<string>> {
    const jobs = await this.queue.getWaiting(0, PENDING_MAX);
    return new Set(jobs.map((job) => shardName(job.data)));
  }
}
