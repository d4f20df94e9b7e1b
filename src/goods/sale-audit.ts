import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { date, execute, nullable, select, text, type Executor, type Row } from '../infra/database/index.js';
import type { AuditDto, AuditEntryDto } from './dto/audit.dto.js';
import { SaleReader } from './sale.reader.js';

const PAGE = 100;

/** What an operator did to a sale. */
export interface SaleChange {
  saleId: string;
  /** null: the command line */
  operatorId: string | null;
  /** at most 24 ASCII characters */
  action: 'publish' | 'pause' | 'resume' | 'end' | 'edit' | 'stock' | 'limit' | 'refund';
  /** The same members before and after. */
  before: Readonly<Record<string, unknown>>;
  after: Readonly<Record<string, unknown>>;
}

/** Writes the change down, in the transaction that makes it. One that changes nothing leaves no trace. */
export async function recordChange(executor: Executor, { saleId, operatorId, action, before, after }: SaleChange, nowMs: number): Promise<void> {
  const [from, to] = [JSON.stringify(before), JSON.stringify(after)];
  if (from === to) return;
  await execute(executor, 'INSERT INTO sale_audit (sale_id, operator_id, action, before_json, after_json, created_at) VALUES (?, ?, ?, ?, ?, ?)', [
    saleId, operatorId, action, from, to, new Date(nowMs),
  ]);
}

/** Reads who did what to a sale. */
@Injectable()
export class SaleAudit {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
  ) {}

  /**
   * A page of changes, newest first. Index: ix_sale_audit_sale.
   * @throws DomainError SALE_NOT_FOUND
   */
  async read(saleId: string, cursor?: string): Promise<AuditDto> {
    const { id } = await this.sales.get(saleId);
    const rows = await select(
      this.dataSource,
      `SELECT a.id, a.action, a.before_json, a.after_json, a.created_at, a.operator_id, u.username
         FROM sale_audit a LEFT JOIN users u ON u.id = a.operator_id
        WHERE a.sale_id = ? AND a.id < ? ORDER BY a.id DESC LIMIT ?`,
      [id, cursor ?? '18446744073709551615', PAGE + 1],
    );
    const page = rows.slice(0, PAGE);
    const last = page.at(-1);
    return { changes: page.map(entryOf), ...(rows.length > PAGE && last && { nextCursor: text(last, 'id') }) };
  }
}

function entryOf(row: Row): AuditEntryDto {
  const id = nullable(text, row, 'operator_id');
  return {
    id: text(row, 'id'),
    at: date(row, 'created_at').toISOString(),
    ...(id !== null && { operator: { id, username: nullable(text, row, 'username') ?? '' } }),
    action: text(row, 'action'),
    before: JSON.parse(text(row, 'before_json')) as Record<string, unknown>,
    after: JSON.parse(text(row, 'after_json')) as Record<string, unknown>,
  };
}
