import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SHADOW_SALE_IDS } from '../goods/index.js';
import { select, text } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import { decodeCursor, encodeCursor } from './order-cursor.js';
import { firstOrderIdAt } from './order-id.js';
import type { OrderStatus } from './order-status.js';
import { OrderReader, REFUND_PAYMENTS, type OwnedOrder } from './order.reader.js';

/** Money that has not gone back yet: few payments at a time. */
export const OPEN_REFUNDS = ['due', 'failed'] as const;
export type OpenRefund = (typeof OPEN_REFUNDS)[number];

/** Orders that match all that is given. */
export interface OrderFilter {
  status?: OrderStatus;
  refund?: OpenRefund;
  userId?: string;
  username?: string;
  saleId?: string;
  /** made at this moment or later, epoch milliseconds */
  fromMs?: number;
  /** made before this moment */
  toMs?: number;
}

/** An order as an operator sees it in a list. */
export interface FoundOrder {
  order: OwnedOrder;
  /** null when the account is gone */
  username: string | null;
}

/** A statement that answers the ids of a page. */
export interface SearchStatement {
  sql: string;
  parameters: (string | number)[];
}

/** Finds orders for operators, newest first. */
@Injectable()
export class OrderSearch {
  constructor(
    private readonly dataSource: DataSource,
    private readonly reader: OrderReader,
  ) {}

  /**
   * One page of the orders that match.
   * @param page.cursor `nextCursor` of the page before
   * @throws DomainError VALIDATION_FAILED for a cursor this service did not make, or a `from` after `to`
   */
  async find(filter: OrderFilter, page: { cursor?: string; limit: number }): Promise<{ orders: FoundOrder[]; nextCursor?: string }> {
    refuseBackwards(filter);
    const before = page.cursor ? decodeCursor(page.cursor) : null;
    const user = await this.userOf(filter);
    if (user === 'nobody') return { orders: [] };
    const { sql, parameters } = searchStatement({ ...filter, ...user }, before, page.limit + 1);
    const ids = (await select(this.dataSource, sql, parameters)).map((row) => text(row, 'id'));
    const orders = await this.withNames(await this.reader.findAll(ids.slice(0, page.limit)));
    const last = orders.at(-1);
    return ids.length > page.limit && last ? { orders, nextCursor: encodeCursor(last.order.id) } : { orders };
  }

  /** The names of the orders' users. Index: PRIMARY of users. */
  async withNames(orders: OwnedOrder[]): Promise<FoundOrder[]> {
    if (orders.length === 0) return [];
    const rows = await select(this.dataSource, 'SELECT id, username FROM users WHERE id IN (?)', [[...new Set(orders.map(({ userId }) => userId))]]);
    const names = new Map(rows.map((row) => [text(row, 'id'), text(row, 'username')]));
    return orders.map((order) => ({ order, username: names.get(order.userId) ?? null }));
  }

  /** Index: uq_users_username. */
  private async userOf({ userId, username }: OrderFilter): Promise<{ userId?: string } | 'nobody'> {
    if (username === undefined) return userId === undefined ? {} : { userId };
    const [row] = await select(this.dataSource, 'SELECT id FROM users WHERE username = ?', [username]);
    const found = row && text(row, 'id');
    return found === undefined || (userId !== undefined && userId !== found) ? 'nobody' : { userId: found };
  }
}

/**
 * The statement for a page, without the orders of shadow sales: which index it goes by is told, not guessed, since a wrong guess reads a whole sale. A shopper has few orders, so
 * theirs are read whole and sorted out; a time range is a range of ids in each of the four. Open refunds are fewer still, and lead the way.
 */
export function searchStatement(filter: Omit<OrderFilter, 'username'>, beforeId: string | null, limit: number): SearchStatement {
  const { status, refund, userId, saleId, fromMs, toMs } = filter;
  const conditions: [sql: string, value: string | undefined][] = [
    ['status = ?', status],
    ['user_id = ?', userId],
    ['sale_id = ?', saleId],
    ['id >= ?', fromMs === undefined ? undefined : firstOrderIdAt(fromMs)],
    ['id < ?', earlier(toMs === undefined ? undefined : firstOrderIdAt(toMs), beforeId ?? undefined)],
  ];
  const given = conditions.filter((condition): condition is [string, string] => condition[1] !== undefined);
  // Who names a sale or a shopper means just that one.
  const noShadow = saleId === undefined && userId === undefined ? [`sale_id NOT IN (${SHADOW_SALE_IDS})`] : [];
  const where = [...given.map(([sql]) => sql), ...noShadow].join(' AND ');
  return {
    sql: `SELECT id FROM ${refund === undefined ? `orders FORCE INDEX (${indexFor(filter)})` : WITH_OPEN_REFUND} WHERE ${where} ORDER BY id DESC LIMIT ?`,
    parameters: [...(refund === undefined ? [] : [REFUND_PAYMENTS[refund]]), ...given.map(([, value]) => value), limit],
  };
}

const WITH_OPEN_REFUND = `(SELECT DISTINCT order_id FROM payments FORCE INDEX (ix_payments_refund) WHERE status = ?) AS owed
  STRAIGHT_JOIN orders FORCE INDEX (PRIMARY) ON orders.id = owed.order_id`;

function indexFor({ status, userId, saleId }: OrderFilter): string {
  if (userId !== undefined) return 'ix_orders_user';
  if (status !== undefined) return 'ix_orders_status';
  return saleId !== undefined ? 'ix_orders_sale' : 'PRIMARY';
}

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

function refuseBackwards({ fromMs, toMs }: OrderFilter): void {
  if (fromMs === undefined || toMs === undefined || fromMs <= toMs) return;
  const message = 'to must not be before from';
  throw new DomainError('VALIDATION_FAILED', message, { errors: [{ field: 'to', message }] });
}
