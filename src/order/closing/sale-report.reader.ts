import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SaleReader, type Sale } from '../../goods/index.js';
import { RedisClock } from '../../infra/clock/index.js';
import { date, integer, nullable, select, text, type Executor } from '../../infra/database/index.js';
import { readCounts } from '../stats/sale-counts.js';
import { reportOf, type ReportFigures } from './sale-report.js';
import type { SaleReportView } from './sale-report.view.js';

/** Tells how a sale goes or went. */
@Injectable()
export class SaleReports {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly clock: RedisClock,
  ) {}

  /**
   * The stored report of a sale that is closed; of any other one what can be said by now.
   * @throws DomainError SALE_NOT_FOUND
   */
  async read(saleId: string): Promise<SaleReportView> {
    const sale = await this.sales.get(saleId);
    const [stored] = await select(this.dataSource, 'SELECT report FROM sale_reports WHERE sale_id = ?', [sale.id]);
    return stored ? (JSON.parse(text(stored, 'report')) as SaleReportView) : this.compute(sale, null);
  }

  /** Works the report out from MySQL. */
  async compute(sale: Sale, closedAt: Date | null): Promise<SaleReportView> {
    const { dataSource } = this;
    const [counts, orders, moments, waits] = await Promise.all([
      readCounts(dataSource, sale.id), readOrders(dataSource, sale.id), this.readMoments(sale), readWaits(dataSource, sale.id),
    ]);
    const items = sale.items.map(({ id, goods, stock, sold }) => ({ itemId: id, title: goods.title, stock, sold }));
    const { id, title, startsAt, endsAt } = sale;
    return reportOf({ sale: { id, title, startsAt, endsAt, currency: sale.items[0]?.currency ?? '' }, closedAt, counts, orders, items, ...moments, waits });
  }

  private async readMoments(sale: Sale): Promise<Pick<ReportFigures, 'openedAt' | 'endedAt' | 'soldOutAt'>> {
    const { dataSource } = this;
    const [row = {}] = await select(
      dataSource,
      `SELECT (SELECT MIN(created_at) FROM sale_audit WHERE sale_id = ? AND action = 'publish') AS published_at,
              (SELECT MIN(created_at) FROM sale_audit WHERE sale_id = ? AND action = 'end') AS ended_at,
              (SELECT COUNT(*) FROM sale_audit WHERE sale_id = ? AND action IN ('stock', 'refund')) AS stock_changes,
              (SELECT MIN(created_at) FROM sale_events WHERE sale_id = ? AND type = 'sale.sold_out') AS seen_sold_out_at`,
      [sale.id, sale.id, sale.id, sale.id],
    );
    const published = nullable(date, row, 'published_at') ?? sale.startsAt;
    const ended = new Date(Math.min(sale.endsAt.getTime(), nullable(date, row, 'ended_at')?.getTime() ?? Infinity));
    // What the stock was at each moment is not known any more; that all of it was sold was seen when it was so.
    const soldOutAt = integer(row, 'stock_changes') > 0 ? nullable(date, row, 'seen_sold_out_at') : await readSoldOutAt(dataSource, sale);
    return { openedAt: published > sale.startsAt ? published : sale.startsAt, endedAt: ended.getTime() <= this.clock.nowMs() ? ended : null, soldOutAt };
  }
}

/** By ix_orders_sale. */
async function readOrders(executor: Executor, saleId: string): Promise<ReportFigures['orders']> {
  const rows = await select(executor, 'SELECT status, COUNT(*) AS orders, SUM(amount_minor) AS amount FROM orders WHERE sale_id = ? GROUP BY status', [saleId]);
  return rows.map((row) => ({ status: text(row, 'status'), orders: integer(row, 'orders'), amountMinor: integer(row, 'amount') }));
}

/**
 * When the last item first had all of its (present) stock in live orders; null when one never had. A running sum over what every order took
 * and gave back. By ix_orders_sale and ix_order_events_order.
 */
async function readSoldOutAt(executor: Executor, sale: Sale): Promise<Date | null> {
  const rows = await select(
    executor,
    `SELECT held.sale_item_id, MIN(held.created_at) AS first_at
       FROM (SELECT l.sale_item_id, e.created_at,
                    SUM(CASE WHEN e.from_status IS NULL OR e.from_status IN ('expired', 'cancelled') THEN CAST(l.quantity AS SIGNED)
                             WHEN e.to_status IN ('expired', 'cancelled', 'refunded') THEN -CAST(l.quantity AS SIGNED)
                             ELSE 0 END) OVER (PARTITION BY l.sale_item_id ORDER BY e.created_at, e.id) AS units
               FROM orders o JOIN order_events e ON e.order_id = o.id JOIN order_lines l ON l.order_id = o.id
              WHERE o.sale_id = ?) AS held
       JOIN sale_items i ON i.id = held.sale_item_id
      WHERE held.units >= i.stock AND i.stock > 0
      GROUP BY held.sale_item_id`,
    [sale.id],
  );
  const offered = sale.items.filter(({ stock }) => stock > 0);
  if (offered.length === 0 || rows.length < offered.length) return null;
  return new Date(Math.max(...rows.map((row) => date(row, 'first_at').getTime())));
}

/** By ix_orders_sale; sorts the waits of the sale once for each percentile. */
async function readWaits(executor: Executor, saleId: string): Promise<ReportFigures['waits']> {
  const where = 'FROM orders WHERE sale_id = ? AND joined_at IS NOT NULL';
  const [counted] = await select(executor, `SELECT COUNT(*) AS orders ${where}`, [saleId]);
  const orders = counted ? integer(counted, 'orders') : 0;
  if (orders === 0) return null;
  const percentile = async (share: number): Promise<number> => {
    const offset = Math.max(0, Math.ceil(orders * share) - 1);
    const [row] = await select(executor, `SELECT GREATEST(0, TIMESTAMPDIFF(MICROSECOND, joined_at, created_at) DIV 1000) AS ms ${where} ORDER BY ms LIMIT 1 OFFSET ?`, [saleId, offset]);
    return nullable(integer, row ?? {}, 'ms') ?? 0;
  };
  return { p50: await percentile(0.5), p90: await percentile(0.9), p99: await percentile(0.99), longest: await percentile(1) };
}
