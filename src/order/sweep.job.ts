import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { reasonOf } from '../infra/errors.js';
import { Settings } from '../config/index.js';
import { shardName, shardsOf, type SaleShard } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { integer, select, text } from '../infra/database/index.js';
import { LeaderJob, LeaderLock } from '../infra/lock/index.js';
import { Metrics } from '../infra/metrics/index.js';
import { DrainSignal, SeckillScripts } from '../seckill/index.js';
import { IdempotencyStore } from './idempotency/idempotency.store.js';
import { OrderClosing } from './order-closing.js';
import { OrderRelay } from './order-relay.js';
import { TokenBalancing } from './token-balancing.js';
import { TokenTaking } from './token-taking.js';

const EVERY_MS = 1000;
const EXPIRE_BATCH = 1000;

/**
 * Finds again what a crash made everyone forget: shards with waiting tickets and no drain, unpaid orders past their deadline, outbox rows
 * left behind, withdrawals cut short, units on a shard where nobody wants them. Runs on every scheduler, one at a time by a lock that only saves double work.
 */
@Injectable()
export class SweepJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Sweep');
  private readonly job: LeaderJob;
  private suspects = new Set<string>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly scripts: SeckillScripts,
    private readonly signal: DrainSignal,
    private readonly closing: OrderClosing,
    private readonly relay: OrderRelay,
    private readonly tokens: TokenTaking,
    private readonly balancing: TokenBalancing,
    private readonly idempotency: IdempotencyStore,
    private readonly clock: RedisClock,
    private readonly metrics: Metrics,
    private readonly settings: Settings,
    lock: LeaderLock,
  ) {
    this.job = new LeaderJob('sweep', lock, () => this.sweep());
  }

  @Interval(EVERY_MS)
  run(): Promise<void> {
    return this.job.run();
  }

  /** Whether a sweep, or another scheduler's lock on it, was met so lately. */
  cameThroughWithin(ms: number): boolean {
    return this.job.cameThroughWithin(ms);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.finish();
  }

  /**
   * One kind that fails, or has to wait, does not keep the others from being swept.
   * @throws Error naming the kinds that failed: such a sweep has not come through
   */
  private async sweep(): Promise<void> {
    const shards = this.loadedShards();
    const attempts = [
      this.attempt('drain', async () => this.wakeForgotten(await shards)),
      this.attempt('expiry', () => this.expireOverdue()),
      this.attempt('withdrawal', async () => this.resolveWithdrawals(await shards)),
      this.attempt('relay', () => this.relay.relayPending()),
    ];
    await Promise.all([
      this.balancing.balance().catch((error: unknown) => this.putOff('balancing', '', error)),
      this.idempotency.removeOld().catch((error: unknown) => this.putOff('idempotency keys', '', error)),
    ]);
    const failed = (await Promise.all(attempts)).filter((kind) => kind !== null);
    if (failed.length > 0) throw new Error(`not swept: ${failed.join(', ')}`);
  }

  /** Answers the kind if it failed, else null. */
  private async attempt(kind: string, work: () => Promise<number>): Promise<string | null> {
    try {
      const found = await work();
      if (found === 0) return null;
      this.metrics.repairs.inc({ kind }, found);
      this.logger.log({ kind, found, msg: 'swept' });
      return null;
    } catch (error) {
      this.logger.warn({ kind, reason: reasonOf(error), msg: 'sweep failed' });
      return kind;
    }
  }

  private async wakeForgotten(shards: SaleShard[]): Promise<number> {
    const forgotten: SaleShard[] = [];
    for (const shard of shards) {
      const found = await this.scripts.check(shard);
      if (found.outcome === 'forgotten') forgotten.push(shard);
      if (found.outcome === 'frozen') this.logger.warn({ shard: shardName(shard), missing: found.missing, msg: 'the state contradicts itself; it is built anew' });
    }
    // Seen once, its wake-up may just be on its way.
    const again = forgotten.filter((shard) => this.suspects.has(shardName(shard)));
    this.suspects = new Set(forgotten.map(shardName));
    if (again.length === 0) return 0;
    // While no worker runs, one signal is enough.
    const pending = await this.signal.pending();
    const lost = again.filter((shard) => !pending.has(shardName(shard)));
    for (const shard of lost) this.signal.wake(shard);
    return lost.length;
  }

  private async resolveWithdrawals(shards: SaleShard[]): Promise<number> {
    let resolved = 0;
    for (const shard of shards) {
      // A sale whose row can't be had just now does not hold up the others.
      resolved += await this.tokens.resolveLeftovers(shard).catch((error: unknown) => this.putOff('withdrawal', shard.saleId, error));
    }
    return resolved;
  }

  private putOff(kind: string, saleId: string, error: unknown): number {
    this.logger.warn({ kind, saleId, reason: reasonOf(error), msg: 'put off' });
    return 0;
  }

  private async expireOverdue(): Promise<number> {
    const expired = await this.closing.expireDue(this.clock.nowMs(), EXPIRE_BATCH);
    await this.relay.relayOrders(expired);
    return expired.length;
  }

  /** The shards of every sale that may stand in Redis. */
  private async loadedShards(): Promise<SaleShard[]> {
    const since = new Date(this.clock.nowMs() - this.settings.RETENTION_SECONDS * 1000);
    const sales = await select(this.dataSource, `SELECT id, shards FROM sales WHERE state <> 'draft' AND epoch > 0 AND ends_at > ?`, [since]);
    return sales.flatMap((sale) => shardsOf(text(sale, 'id'), integer(sale, 'shards')));
  }
}
