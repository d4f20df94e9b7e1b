import { InjectQueue } from '@nestjs/bull';
import { Injectable, Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { shardName, type SaleShard } from '../goods/index.js';

export const DRAIN_QUEUE = 'drain';

/** Wakes the drain of a shard. Bull carries the signal only; the tickets stand in the shard's own list. */
@Injectable()
export class DrainSignal {
  private readonly logger = new Logger('DrainSignal');

  constructor(@InjectQueue(DRAIN_QUEUE) private readonly queue: Queue<SaleShard>) {}

  /**
   * Sends the wake-up without waiting for it: `add` can hang for as long as Redis is away, and no request may hang with it.
   * A signal that is lost is made good for by the sweep.
   */
  wake(shard: SaleShard): void {
    this.queue.add({ saleId: shard.saleId, shard: shard.shard }).catch((error: unknown) => {
      this.logger.warn({ shard: shardName(shard), reason: error instanceof Error ? error.message : String(error), msg: 'wake-up not sent' });
    });
  }
}
