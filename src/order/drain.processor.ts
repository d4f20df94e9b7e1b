import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SaleReader, shardName, type SaleShard } from '../goods/index.js';
import { Metrics } from '../infra/metrics/index.js';
import { DRAIN_QUEUE, DrainSignal, SaleTally, SeckillScripts, type Settlement } from '../seckill/index.js';
import { BatchDecision } from './batch-decision.js';
import { ExpirySchedule } from './expiry.schedule.js';

const BATCH = 500;
const LEASE_MS = 5000;
/** Shards that one worker drains side by side. */
const CONCURRENCY = 4;
const PAUSE_AFTER_FAILURE_MS = 500;

/**
 * Drains the queue of a shard: claims tickets with their tokens in batches, commits their orders, settles the tickets, until nobody
 * waits. A drain that dies leaves its batch claimed; the next one finishes it first.
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
    private readonly scripts: SeckillScripts,
    private readonly decision: BatchDecision,
    private readonly expiry: ExpirySchedule,
    private readonly signal: DrainSignal,
    private readonly metrics: Metrics,
    private readonly tally: SaleTally,
  ) {}

  /** Takes no other job, so that what is handed over is for another worker, and waits until the batches in hand are settled. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    const isLocal = true;
    await this.queue.pause(isLocal).catch((error: unknown) => this.logger.warn({ err: error, msg: 'the queue could not be paused' }));
  }

  @Process({ concurrency: CONCURRENCY })
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
    const drainId = randomUUID();
    const itemIds = (await this.sales.get(shard.saleId)).items.map((item) => item.id);
    for (;;) {
      if (this.stopping) return this.handOver(shard, drainId);
      const next = await this.drainBatch(itemIds, shard, drainId);
      if (next === 'finished') return;
      if (next === 'failed') await delay(PAUSE_AFTER_FAILURE_MS);
    }
  }

  private async drainBatch(itemIds: string[], shard: SaleShard, drainId: string): Promise<'more' | 'finished' | 'failed'> {
    const endTimer = this.metrics.batchSeconds.startTimer();
    const claim = await this.scripts.claim(shard, { drainId, leaseMs: LEASE_MS, maxTickets: BATCH, itemIds });
    if (claim.outcome !== 'claimed') return 'finished';
    this.count(shard.saleId, new Map([['sold_out', claim.soldOut], ['standby', claim.standby], ['rejected', claim.rejected]]));
    try {
      // Anew for each batch, and after its claim: an operator may have changed a limit, by which these joins were judged already.
      const sale = await this.sales.get(shard.saleId);
      const decided = await this.decision.decide({ sale, shard, ...claim });
      if (decided.outcome === 'stale') return this.abandon(shard);
      await this.expiry.schedule(deadlines(decided.settlements));
      await this.scripts.settle(shard, { epoch: claim.epoch, drainId, itemIds, settlements: decided.settlements });
      this.count(shard.saleId, tally(decided.settlements));
      endTimer();
      return 'more';
    } catch (error) {
      // The batch stays claimed. The next claim hands it out again, and what MySQL did commit is found there by its tickets.
      this.logger.error({ shard: shardName(shard), tickets: claim.tickets.length, err: error, msg: 'batch failed; it will be tried again' });
      return 'failed';
    }
  }

  private abandon(shard: SaleShard): 'finished' {
    this.logger.warn({ shard: shardName(shard), msg: 'the sale was loaded anew; this claim belongs to the past' });
    return 'finished';
  }

  private async handOver(shard: SaleShard, drainId: string): Promise<void> {
    await this.scripts.yieldLease(shard, drainId);
    this.signal.wake(shard);
  }

  private count(saleId: string, outcomes: Map<string, number>): void {
    for (const [outcome, tickets] of outcomes) {
      this.metrics.decided.inc({ outcome }, tickets);
      this.tally.count(saleId, 'decision', outcome, tickets);
    }
  }
}

function tally(settlements: Settlement[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { outcome } of settlements) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}

function deadlines(settlements: Settlement[]): Set<number> {
  return new Set(settlements.flatMap((settlement) => (settlement.outcome === 'ordered' ? [settlement.payBeforeMs] : [])));
}
