import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SaleReader, type Sale } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { date, execute, integer, nullable, select, text, type Row } from '../infra/database/index.js';
import type { OutgoingEvent, SaleEventType } from './event-types.js';
import { eventType } from './event-types.js';

/** After its end a sale is looked at until no order of its line has come for so long: the last of them may be what sells it out. */
const QUIET_MS = 3000;

/**
 * Writes down that a sale has opened, is sold out, has ended: each once, which uq_sale_events_type holds. The clock and several tables say
 * so, not one transaction; so this looks every now and then. Sales that were over before the table was there have their rows from the migration.
 */
@Injectable()
export class SaleEvents {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly clock: RedisClock,
  ) {}

  /** Looks once at every sale that has not had its end, but no shadow sale. Sales are few: PRIMARY of sales; uq_sale_events_type and the end of ix_orders_sale for each. */
  async record(): Promise<void> {
    const nowMs = this.clock.nowMs();
    const rows = await select(
      this.dataSource,
      `SELECT s.id, s.state, s.starts_at, s.ends_at, s.updated_at,
              (SELECT o.created_at FROM orders o WHERE o.sale_id = s.id ORDER BY o.id DESC LIMIT 1) AS last_order_at,
              EXISTS (SELECT 1 FROM sale_events o WHERE o.sale_id = s.id AND o.type = 'sale.opened') AS opened,
              EXISTS (SELECT 1 FROM sale_events o WHERE o.sale_id = s.id AND o.type = 'sale.sold_out') AS emptied,
              (SELECT SUM(i.stock) > 0 AND SUM(i.sold) = SUM(i.stock) FROM sale_items i WHERE i.sale_id = s.id) AS sold_out
         FROM sales s LEFT JOIN sale_events e ON e.sale_id = s.id AND e.type = 'sale.ended'
        WHERE e.id IS NULL AND s.rehearsal_id IS NULL AND s.state <> 'draft' AND (s.starts_at <= ? OR s.state = 'ended')`,
      [new Date(nowMs)],
    );
    for (const row of rows) for (const type of due(row, nowMs)) await this.write(text(row, 'id'), type, nowMs);
  }

  private async write(saleId: string, type: SaleEventType, nowMs: number): Promise<void> {
    const snapshot = JSON.stringify(saleSnapshot(await this.sales.get(saleId), type));
    await execute(
      this.dataSource,
      'INSERT INTO sale_events (sale_id, type, sale, created_at) VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE sale_events.id = sale_events.id',
      [saleId, type, snapshot, new Date(nowMs)],
    );
  }
}

/**
 * What a sale has come to since the last look, in its order. A published one whose window has passed meanwhile had opened, too, and so had
 * one that is sold out; of another that was ended by hand nobody knows. That it is sold out is looked for once more before its end is said.
 */
function due(row: Row, nowMs: number): SaleEventType[] {
  const isPublished = text(row, 'state') === 'published';
  const endedAt = text(row, 'state') === 'ended' ? date(row, 'updated_at') : date(row, 'ends_at');
  const isOver = endedAt.getTime() <= nowMs;
  const isSoldOut = row['sold_out'] !== null && integer(row, 'sold_out') === 1;
  const wasEmptied = integer(row, 'emptied') === 1;
  const isEmptied = !wasEmptied && isSoldOut && (isPublished || isOver);
  const opens = integer(row, 'opened') === 0 && (isPublished || isEmptied);
  const isDecided = wasEmptied || isSoldOut || Math.max(endedAt.getTime(), nullable(date, row, 'last_order_at')?.getTime() ?? 0) + QUIET_MS <= nowMs;
  return [...(opens ? ['sale.opened' as const] : []), ...(isEmptied ? ['sale.sold_out' as const] : []), ...(isOver && isDecided ? ['sale.ended' as const] : [])];
}

function saleSnapshot(sale: Sale, type: SaleEventType): Record<string, unknown> {
  return {
    id: sale.id,
    title: sale.title,
    startsAt: sale.startsAt.toISOString(),
    endsAt: sale.endsAt.toISOString(),
    state: type === 'sale.ended' ? 'ended' : 'live',
    mode: sale.mode,
    items: sale.items.map(({ id, goodsId, goods, priceMinor, currency, stock, sold, limitPerUser }) => ({
      id, goodsId, title: goods.title, priceMinor, currency, stock, sold, limitPerUser,
    })),
  };
}

/** Turns rows of `sale_events` into events. */
export function saleEvents(rows: Row[]): OutgoingEvent[] {
  return rows.map((row) => ({
    id: `evt_sale_${text(row, 'id')}`,
    type: eventType(text(row, 'type')),
    orderingKey: `sale:${text(row, 'sale_id')}`,
    createdAt: date(row, 'created_at'),
    data: { sale: JSON.parse(text(row, 'sale')) as unknown },
  }));
}
