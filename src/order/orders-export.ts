import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SaleReader } from '../goods/index.js';
import { date, integer, nullable, select, text, type Row } from '../infra/database/index.js';

const PAGE = 1000;
const COLUMNS = ['orderId', 'ticketId', 'userId', 'username', 'status', 'amountMinor', 'currency', 'lines', 'createdAt', 'payBefore', 'paidAt', 'closedAt'];

/** Writes the orders of a sale as CSV (RFC 4180), page by page, so that a million of them fit through a small memory. */
@Injectable()
export class OrdersExport {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
  ) {}

  /** The lines of the file, the header first. @throws DomainError SALE_NOT_FOUND before the first line */
  async lines(saleId: string): Promise<AsyncGenerator<string>> {
    const sale = await this.sales.get(saleId);
    return this.pages(sale.id);
  }

  private async *pages(saleId: string): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    let rows: Row[];
    let after = '';
    do {
      rows = await this.page(saleId, after);
      for (const row of rows) {
        after = text(row, 'id');
        yield csvLine(cells(row));
      }
    } while (rows.length === PAGE);
  }

  /** By ix_orders_sale. */
  private page(saleId: string, after: string): Promise<Row[]> {
    return select(
      this.dataSource,
      `SELECT o.*, u.username,
              (SELECT GROUP_CONCAT(l.quantity, ' x item ', l.sale_item_id, ' @ ', l.unit_price_minor ORDER BY l.sale_item_id SEPARATOR '; ')
                 FROM order_lines l WHERE l.order_id = o.id) AS order_lines
         FROM orders o LEFT JOIN users u ON u.id = o.user_id
        WHERE o.sale_id = ? AND o.id > ? ORDER BY o.id LIMIT ${PAGE}`,
      [saleId, after],
    );
  }
}

function cells(row: Row): string[] {
  const time = (column: string): string => nullable(date, row, column)?.toISOString() ?? '';
  return [
    text(row, 'id'), text(row, 'ticket_id'), text(row, 'user_id'), nullable(text, row, 'username') ?? '', text(row, 'status'),
    String(integer(row, 'amount_minor')), text(row, 'currency'), nullable(text, row, 'order_lines') ?? '',
    time('created_at'), time('pay_before'), time('paid_at'), time('closed_at'),
  ];
}

/** One line; a cell that a spreadsheet would take for a formula is made plain text by a leading quote (OWASP, "CSV Injection"). */
export function csvLine(values: string[]): string {
  const cell = (value: string): string => {
    const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  };
  return `${values.map(cell).join(',')}\r\n`;
}
