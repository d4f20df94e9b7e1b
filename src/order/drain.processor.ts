import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SaleReader, shardName, type SaleShard } from '../goods/index.js';
import { ReservedPool } from '../infra/database/index.js';
import { DRAIN_QUEUE, DrainSignal, SeckillScripts } from '../seckill/index.js';
import { runBatches } from './batch-pipeline.js';
import { DrainSteps, type Drain } from './drain-steps.js';

/** Shards that one worker drains side by side. */
export const DRAINS = 4;
const PAUSE_AFTER_FAILURE_MS = 500;

/**
 * Drains the queue of a shard: claims tickets with their tokens in batches, commits their orders, settles the tickets, until nobody
 * waits. A drain that dies leaves its batches claimed; the next one finishes them first.
 */
@Processor(DRAIN_QUEUE)
export class DrainProcessor implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Drain');
  private readonly underWay = new Set<string>();
  private readonly wokenAgain = new Set<string>();
  private stopping = false;

  constructor(
    @InjectQueue(DRAIN_QUEUE) private readonly queue: Queue<SaleShard>,
    private readonly sales: SaleReader,
    private readonly pool: ReservedPool,
    private readonly scripts: SeckillScripts,
    private readonly steps: DrainSteps,
    private readonly signal: DrainSignal,
  ) {}

  /** Takes no other job, so that what is handed over is for another worker, and waits until the batches in hand are settled. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    const isLocal = true;
    await this.queue.pause(isLocal).catch((error: unknown) => this.logger.warn({ err: error, msg: 'the queue could not be paused' }));
  }

  @Process({ concurrency: DRAINS })
  async drain({ data: shard }: Job<SaleShard>): Promise<void> {
    const name = shardName(shard);
    this.wokenAgain.add(name);
    // A second drain would only wait for the first one's lease, and keep other shards from being drained.
    if (this.underWay.has(name)) return;
    this.underWay.add(name);
    try {
      while (this.wokenAgain.delete(name)) await this.drainShard(shard);
    } finally {
      this.underWay.delete(name);
    }
  }

  private async drainShard(shard: SaleShard): Promise<void> {
    const itemIds = (await this.sales.get(shard.saleId, this.pool.dataSource.manager)).items.map((item) => item.id);
    const drain = { id: randomUUID(), shard, itemIds, isStopping: () => this.stopping };
    for (;;) {
      if (this.stopping) return this.handOver(drain);
      const outcome = await this.run(drain);
      if (outcome === 'idle' || outcome === 'stale') return;
      if (outcome === 'failed') await delay(PAUSE_AFTER_FAILURE_MS);
    }
  }

  private async run(drain: Drain): Promise<'idle' | 'drained' | 'stale' | 'failed'> {
    const shard = shardName(drain.shard);
    try {
      const outcome = await runBatches(this.steps.of(drain));
      if (outcome === 'stale') this.logger.warn({ shard, msg: 'the sale was loaded anew; this claim belongs to the past' });
      return outcome;
    } catch (error) {
      // What was claimed stays claimed. The next claim hands it out again, and what MySQL did commit is found there by its tickets.
      this.logger.error({ shard, err: error, msg: 'batch failed; it will be tried again' });
      return 'failed';
    }
  }

  private async handOver({ shard, id }: Drain): Promise<void> {
    await this.scripts.yieldLease(shard, id);
    this.signal.wake(shard);
  }
}
