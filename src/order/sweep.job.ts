import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../config/index.js';
import { shardsOf, type SaleShard } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { integer, select, text } from '../infra/database/index.js';
import { LeaderJob, LeaderLock } from '../infra/lock/index.js';
import { Metrics } from '../infra/metrics/index.js';
import { DrainSignal, SeckillScripts } from '../seckill/index.js';
import { OrderClosing } from './order-closing.js';
import { OrderRelay } from './order-relay.js';
import { StockEditor } from './stock-editor.js';

const EVERY_MS = 1000;
const EXPIRE_BATCH = 1000;

/**
 * Finds again what a crash made everyone forget: shards with waiting tickets and no drain, unpaid orders past their deadline, outbox rows
 * left behind, withdrawals cut short. Runs on every scheduler, one at a time by a lock that only saves double work.
 */
@Injectable()
export class SweepJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Sweep');
  private readonly job: LeaderJob;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly scripts: SeckillScripts,
    private readonly signal: DrainSignal,
    private readonly closing: OrderClosing,
    private readonly relay: OrderRelay,
    private readonly stock: StockEditor,
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

  beforeApplicationShutdown(): Promise<void> {
    return this.job.finish();
  }

  /** One kind that fails does not keep the others from being swept. */
  private async sweep(): Promise<void> {
    await this.attempt('drain', () => this.wakeForgotten());
    await this.attempt('expiry', () => this.expireOverdue());
    await this.attempt('relay', () => this.relay.relayPending());
  }

  private async attempt(kind: string, work: () => Promise<number>): Promise<void> {
    try {
      const found = await work();
      if (found === 0) return;
      this.metrics.repairs.inc({ kind }, found);
      this.logger.log({ kind, found, msg: 'swept' });
    } catch (error) {
      this.logger.warn({ kind, reason: error instanceof Error ? error.message : String(error), msg: 'sweep failed' });
    }
  }

  private async wakeForgotten(): Promise<number> {
    let found = 0;
    for (const shard of await this.loadedShards()) {
      await this.stock.resolveLeftovers(shard);
      if (await this.scripts.isForgotten(shard, this.clock.nowMs())) {
        this.signal.wake(shard);
        found += 1;
      }
    }
    return found;
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
