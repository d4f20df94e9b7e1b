import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Readable } from 'node:stream';
import { DataSource } from 'typeorm';
import { SaleReader } from '../goods/index.js';
import { date, integer, nullable, select, text, type Row } from '../infra/database/index.js';
import { csvLine } from './csv.js';
import { REFUNDED_AT } from './order.reader.js';

const PAGE = 1000;
const COLUMNS = ['orderId', 'ticketId', 'userId', 'username', 'status', 'amountMinor', 'currency', 'lines', 'createdAt', 'payBefore', 'paidAt', 'closedAt', 'refundedAt', 'titles'];

/**
 * Writes the orders of a sale as CSV (RFC 4180), page by page, so that a million of them fit through a small memory. Each page is a statement
 * of its own: however slowly somebody reads, no transaction stays open and no connection is kept.
 */
@Injectable()
export class OrdersExport {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
  ) {}

  /**
   * The file. A page is read when its reader has taken the one before, and none any more once the stream is destroyed.
   * An order made meanwhile may or may not be in it, every other one is in it once, as it was when its page was read.
   * @throws DomainError SALE_NOT_FOUND before the first byte
   */
  async file(saleId: string): Promise<Readable> {
    const sale = await this.sales.get(saleId);
    // By bytes, not by objects: else sixteen pages would be read ahead.
    return Readable.from(this.pages(sale.id), { objectMode: false });
  }

  private async *pages(saleId: string): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    let rows: Row[];
    let after = '';
    do {
      rows = await this.page(saleId, after);
      const last = rows.at(-1);
      if (!last) return;
      after = text(last, 'id');
      const lines = await this.linesOf(rows);
      yield rows.map((row) => csvLine(cells(row, lines.get(text(row, 'id')) ?? []))).join('');
    } while (rows.length === PAGE);
  }

  /** By ix_orders_sale; the refund by ix_payments_order. */
  private page(saleId: string, after: string): Promise<Row[]> {
    return select(
      this.dataSource,
      `SELECT o.id, o.ticket_id, o.user_id, u.username, o.status, o.amount_minor, o.currency, o.created_at, o.pay_before, o.paid_at, o.closed_at,
              ${REFUNDED_AT}
         FROM orders o FORCE INDEX (ix_orders_sale) LEFT JOIN users u ON u.id = o.user_id
        WHERE o.sale_id = ? AND o.id > ? ORDER BY o.id LIMIT ${PAGE}`,
      [saleId, after],
    );
  }

  /** By PRIMARY of order_lines. Put together here: MySQL's GROUP_CONCAT cuts off after 1,024 characters without a word. */
  private async linesOf(orders: Row[]): Promise<Map<string, Row[]>> {
    const rows = await select(
      this.dataSource,
      'SELECT order_id, sale_item_id, title, quantity, unit_price_minor FROM order_lines WHERE order_id IN (?) ORDER BY order_id, sale_item_id',
      [orders.map((row) => text(row, 'id'))],
    );
    const lines = new Map<string, Row[]>();
    for (const row of rows) {
      const orderId = text(row, 'order_id');
      lines.set(orderId, [...(lines.get(orderId) ?? []), row]);
    }
    return lines;
  }
}

function cells(row: Row, lines: Row[]): string[] {
  const time = (column: string): string => nullable(date, row, column)?.toISOString() ?? '';
  return [
    text(row, 'id'), text(row, 'ticket_id'), text(row, 'user_id'), nullable(text, row, 'username') ?? '', text(row, 'status'),
    String(integer(row, 'amount_minor')), text(row, 'currency'),
    lines.map((line) => `${integer(line, 'quantity')} x item ${text(line, 'sale_item_id')} @ ${integer(line, 'unit_price_minor')}`).join('; '),
    time('created_at'), time('pay_before'), time('paid_at'), time('closed_at'), time('refunded_at'),
    lines.map((line) => text(line, 'title')).join('; '),
  ];
}
