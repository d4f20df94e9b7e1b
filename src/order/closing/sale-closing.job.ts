import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Settings } from '../../config/index.js';
import { SaleReader, shardsOf, type Sale } from '../../goods/index.js';
import { RedisClock } from '../../infra/clock/index.js';
import { execute, inTransaction, integer, select, text, type Executor } from '../../infra/database/index.js';
import { reasonOf } from '../../infra/errors.js';
import { LeaderJob, LeaderLock } from '../../infra/lock/index.js';
import { StockScripts } from '../../seckill/index.js';
import { SaleReports } from './sale-report.reader.js';

const EVERY_MS = 2000;
/** Sales looked at in one go. */
const BATCH = 50;
/** Every process has added its counts to MySQL by then. */
const COUNTED_AFTER_MS = 5000;

/**
 * Closes sales that are over, once nothing of them is under way: nobody waits, no order may still be paid, no token is on its way. From then
 * on only a refund, or late money, changes its figures; the report of this moment is kept. Runs on every scheduler, one at a time by a lock
 * that only saves double work.
 */
@Injectable()
export class SaleClosingJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger('SaleClosing');
  private readonly job: LeaderJob;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly stock: StockScripts,
    private readonly reports: SaleReports,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
    lock: LeaderLock,
  ) {
    this.job = new LeaderJob('closing', lock, () => this.closeAll());
  }

  @Interval(EVERY_MS)
  run(): Promise<void> {
    return this.job.run();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.finish();
  }

  /** Index: ix_sales_closed. */
  private async closeAll(): Promise<void> {
    const before = new Date(this.clock.nowMs() - COUNTED_AFTER_MS);
    const over = await select(
      this.dataSource,
      `SELECT id FROM sales WHERE closed_at IS NULL AND rehearsal_id IS NULL AND ((state IN ('published', 'paused') AND ends_at <= ?) OR (state = 'ended' AND updated_at <= ?)) ORDER BY ends_at LIMIT ?`,
      [before, before, BATCH],
    );
    for (const row of over) await this.attempt(text(row, 'id'));
  }

  private async attempt(saleId: string): Promise<void> {
    try {
      if (await this.close(await this.sales.get(saleId))) this.logger.log({ saleId, msg: 'sale closed' });
    } catch (error) {
      this.logger.warn({ saleId, reason: reasonOf(error), msg: 'sale not closed yet' });
    }
  }

  private async close(sale: Sale): Promise<boolean> {
    if (!(await this.nobodyWaits(sale)) || !(await isSettled(this.dataSource, sale.id))) return false;
    // Worked out without the sale's lock, which would hold up its payments; and thrown away when an order changed meanwhile.
    const seen = await newestEvent(this.dataSource, sale.id);
    const closedAt = new Date(this.clock.nowMs());
    const report = await this.reports.compute(await this.sales.get(sale.id), closedAt);
    return inTransaction(this.dataSource, async (manager) => {
      await select(manager, 'SELECT id FROM sales WHERE id = ? FOR UPDATE', [sale.id]);
      if (!(await isSettled(manager, sale.id)) || (await newestEvent(manager, sale.id)) !== seen) return false;
      if ((await execute(manager, 'UPDATE sales SET closed_at = ? WHERE id = ? AND closed_at IS NULL', [closedAt, sale.id])) !== 1) return false;
      await storeReport(manager, sale.id, JSON.stringify(report), closedAt);
      return true;
    });
  }

  /** A sale that is not loaded is waited for, as long as it may be built again. One that never was, or whose retention has passed, has nobody waiting. */
  private async nobodyWaits(sale: Sale): Promise<boolean> {
    const figures = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.figures(shard)));
    const isGone = sale.epoch === '0' || sale.endsAt.getTime() + this.settings.RETENTION_SECONDS * 1000 <= this.clock.nowMs();
    return figures.every((shard) => (shard === null ? isGone : shard.waiting + shard.standby + shard.claimed === 0));
  }
}

/** No order may still be paid, and everything that happened has reached Redis. By uq_orders_unpaid and the indexes of what is pending. */
async function isSettled(executor: Executor, saleId: string): Promise<boolean> {
  const [row] = await select(
    executor,
    `SELECT (SELECT COUNT(*) FROM orders WHERE sale_id = ? AND unpaid_user_id IS NOT NULL)
          + (SELECT COUNT(*) FROM token_returns WHERE sale_id = ? AND relayed_at IS NULL)
          + (SELECT COUNT(*) FROM order_events WHERE sale_id = ? AND relayed_at IS NULL) AS unfinished`,
    [saleId, saleId, saleId],
  );
  return row !== undefined && integer(row, 'unfinished') === 0;
}

/** By ix_orders_sale and ix_order_events_order. */
async function newestEvent(executor: Executor, saleId: string): Promise<number> {
  const [row] = await select(executor, 'SELECT COALESCE(MAX(e.id), 0) AS id FROM orders o JOIN order_events e ON e.order_id = o.id WHERE o.sale_id = ?', [saleId]);
  return row ? integer(row, 'id') : 0;
}

async function storeReport(manager: EntityManager, saleId: string, report: string, createdAt: Date): Promise<void> {
  await execute(manager, 'INSERT INTO sale_reports (sale_id, report, created_at) VALUES (?, ?, ?)', [saleId, report, createdAt]);
}
