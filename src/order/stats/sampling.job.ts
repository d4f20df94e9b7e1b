import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../../config/index.js';
import { saleState, SaleReader, shardsOf, type Sale } from '../../goods/index.js';
import { RedisClock } from '../../infra/clock/index.js';
import { select, text } from '../../infra/database/index.js';
import { reasonOf } from '../../infra/errors.js';
import { LeaderJob, LeaderLock } from '../../infra/lock/index.js';
import { StockScripts } from '../../seckill/index.js';
import { countOrders } from './order-figures.js';
import { addUp, readCounts } from './sale-counts.js';
import { isSame, SAMPLE_EVERY_MS, SaleSamples, type SaleSample } from './sale-samples.js';

const PRUNE_EVERY_MS = 60_000;
/** So that the last that happened to a sale is sampled, too. */
const AFTER_CLOSING_MS = 10_000;

/**
 * Samples how far each sale has come, every two seconds while it is live, and after that whenever something has changed. Runs on every
 * scheduler, one at a time by a lock that only saves double work. A sample of a sale with 100,000 orders takes some 30 ms, nearly all of it
 * for the count of its orders.
 */
@Injectable()
export class SamplingJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Sampling');
  private readonly sampling: LeaderJob;
  private readonly pruning: LeaderJob;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly stock: StockScripts,
    private readonly samples: SaleSamples,
    private readonly clock: RedisClock,
    settings: Settings,
    lock: LeaderLock,
  ) {
    this.sampling = new LeaderJob('sampling', lock, (stillOurs) => this.sampleAll(stillOurs));
    this.pruning = new LeaderJob('sample-pruning', lock, () => samples.prune(new Date(clock.nowMs() - settings.RETENTION_SECONDS * 1000)));
  }

  @Interval(SAMPLE_EVERY_MS)
  run(): Promise<void> {
    return this.sampling.run();
  }

  @Interval(PRUNE_EVERY_MS)
  prune(): Promise<void> {
    return this.pruning.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.sampling.finish(), this.pruning.finish()]);
  }

  /** Those that have begun and are not closed, but no shadow sales. By ix_sales_closed. */
  private async sampleAll(stillOurs: () => boolean): Promise<void> {
    const nowMs = this.clock.nowMs();
    const open = await select(
      this.dataSource,
      `SELECT id FROM sales WHERE state <> 'draft' AND rehearsal_id IS NULL AND starts_at <= ? AND (closed_at IS NULL OR closed_at > ?)`,
      [new Date(nowMs), new Date(nowMs - AFTER_CLOSING_MS)],
    );
    for (const row of open) if (stillOurs()) await this.attempt(text(row, 'id'));
  }

  private async attempt(saleId: string): Promise<void> {
    try {
      await this.sampleOne(await this.sales.get(saleId));
    } catch (error) {
      this.logger.warn({ saleId, reason: reasonOf(error), msg: 'sale not sampled' });
    }
  }

  private async sampleOne(sale: Sale): Promise<void> {
    const sample = await this.look(sale);
    const nowMs = this.clock.nowMs();
    if (saleState(sale, nowMs) !== 'live') {
      const last = await this.samples.newest(sale.id);
      if (last && isSame(last, sample)) return;
    }
    await this.samples.add(sale.id, new Date(nowMs), sample);
  }

  private async look(sale: Sale): Promise<SaleSample> {
    const [counts, orders, figures] = await Promise.all([
      readCounts(this.dataSource, sale.id),
      countOrders(this.dataSource, sale.id),
      Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.figures(shard))),
    ]);
    const { joins, refused, decided } = addUp(counts);
    const ordered = Object.values(orders).reduce((total, count) => total + count, 0);
    const level = (name: 'waiting' | 'standby'): number => figures.reduce((total, shard) => total + (shard?.[name] ?? 0), 0);
    return { joins, refused, decided, ordered, paid: (orders['paid'] ?? 0) + (orders['refunded'] ?? 0), waiting: level('waiting'), standby: level('standby') };
  }
}
