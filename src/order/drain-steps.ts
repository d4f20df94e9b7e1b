import { Injectable } from '@nestjs/common';
import { SaleReader, type SaleShard } from '../goods/index.js';
import { ReservedPool } from '../infra/database/index.js';
import { Metrics } from '../infra/metrics/index.js';
import { SaleTally, SeckillScripts, type SettleOutcome, type Settlement } from '../seckill/index.js';
import { BatchDecision, type Decision, type DraftedBatch } from './batch-decision.js';
import type { BatchSteps } from './batch-pipeline.js';
import { ExpirySchedule } from './expiry.schedule.js';
import { waitBucket } from './stats/wait-buckets.js';

const BATCH = 500;
const LEASE_MS = 5000;

/** One run of the drain over a shard. */
export interface Drain {
  id: string;
  shard: SaleShard;
  itemIds: string[];
  isStopping: () => boolean;
}

interface ClaimedBatch extends DraftedBatch {
  size: number;
  endTimer: () => void;
}

/** The steps of a batch, from the claim to the settled tickets. */
@Injectable()
export class DrainSteps {
  constructor(
    private readonly sales: SaleReader,
    private readonly pool: ReservedPool,
    private readonly scripts: SeckillScripts,
    private readonly decision: BatchDecision,
    private readonly expiry: ExpirySchedule,
    private readonly metrics: Metrics,
    private readonly tally: SaleTally,
  ) {}

  of(drain: Drain): BatchSteps<ClaimedBatch> {
    return {
      next: (inHand) => this.next(drain, inHand),
      decide: (batch) => this.decide(batch),
      settle: (batch, settlements, behind) => this.settle(drain, batch, [...settlements, ...(behind ? givenBack(behind) : [])]),
      // Who has a reservation has the tokens since the join: nobody before could have had them.
      yieldsTo: ({ sale }, settlements) => sale.mode === 'queue' && settlements.some(({ outcome }) => outcome === 'requeued'),
    };
  }

  private async next({ id, shard, itemIds, isStopping }: Drain, inHand: number): Promise<ClaimedBatch | 'none' | undefined> {
    if (isStopping()) return 'none';
    const endTimer = this.metrics.batchSeconds.startTimer();
    const claim = await this.scripts.claim(shard, { drainId: id, leaseMs: LEASE_MS, maxTickets: BATCH, inHand, itemIds });
    if (claim.outcome !== 'claimed') return undefined;
    this.count(shard.saleId, new Map([['sold_out', claim.soldOut], ['standby', claim.standby], ['rejected', claim.rejected]]));
    if (claim.tickets.length === 0) return 'none';
    // Anew for each batch, and after its claim: an operator may have changed a limit, by which these joins were judged already.
    const sale = await this.sales.get(shard.saleId, this.pool.dataSource.manager);
    return { ...(await this.decision.draft({ sale, shard, ...claim })), size: claim.tickets.length, endTimer };
  }

  private async decide(batch: ClaimedBatch): Promise<Decision> {
    return this.decision.decide(batch);
  }

  private async settle({ id, shard, itemIds }: Drain, { epoch, drafts, endTimer }: ClaimedBatch, settlements: Settlement[]): Promise<SettleOutcome> {
    await this.expiry.schedule(deadlines(settlements));
    const outcome = await this.scripts.settle(shard, { epoch, drainId: id, itemIds, settlements });
    this.count(shard.saleId, tally(settlements));
    for (const [bucket, tickets] of waits(drafts, settlements)) this.tally.count(shard.saleId, 'wait', bucket, tickets);
    endTimer();
    return outcome;
  }

  private count(saleId: string, outcomes: Map<string, number>): void {
    for (const [outcome, tickets] of outcomes) {
      this.metrics.decided.inc({ outcome }, tickets);
      this.tally.count(saleId, 'decision', outcome, tickets);
    }
  }
}

function givenBack({ drafts }: DraftedBatch): Settlement[] {
  return drafts.map(({ ticketId }) => ({ ticketId, outcome: 'requeued', drop: [] }));
}

function tally(settlements: Settlement[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { outcome } of settlements) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}

/** How long those waited that became orders now, by bucket; of one whose join a rebuild has lost nobody knows. */
function waits(drafts: ClaimedBatch['drafts'], settlements: Settlement[]): Map<string, number> {
  const ordered = new Set(settlements.filter(({ outcome }) => outcome === 'ordered').map(({ ticketId }) => ticketId));
  const counts = new Map<string, number>();
  for (const { ticketId, joinedAt, createdAt } of drafts) {
    if (!joinedAt || !ordered.has(ticketId)) continue;
    const bucket = waitBucket(createdAt.getTime() - joinedAt.getTime());
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return counts;
}

function deadlines(settlements: Settlement[]): Set<number> {
  return new Set(settlements.flatMap((settlement) => (settlement.outcome === 'ordered' ? [settlement.payBeforeMs] : [])));
}
