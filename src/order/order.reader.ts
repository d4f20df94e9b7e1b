import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainError } from '../infra/errors.js';
import { date, integer, nullable, select, text, type Row } from '../infra/database/index.js';
import { decodeCursor, encodeCursor } from './order-cursor.js';
import { isOrderId } from './order-id.js';
import { orderStatus, type OrderStatus } from './order-status.js';
import type { PaymentStatus } from './payment/payment.js';

export interface OrderLine {
  itemId: string;
  goodsId: string;
  title: string;
  quantity: number;
  unitPriceMinor: number;
}

/** Money of an order is due back, could not be sent back, or has gone back: of several payments the first of these that one is in. */
export const REFUND_STATES = ['due', 'failed', 'done'] as const;
export type RefundState = (typeof REFUND_STATES)[number];
/** The payments behind each. That their names stand in the same order lets MIN find the first. */
export const REFUND_PAYMENTS = { due: 'refund_due', failed: 'refund_failed', done: 'refunded' } as const satisfies Record<RefundState, PaymentStatus>;

/** An order as its shopper may see it. */
export interface Order {
  id: string;
  saleId: string;
  ticketId: string;
  status: OrderStatus;
  amountMinor: number;
  currency: string;
  lines: OrderLine[];
  createdAtMs: number;
  payBeforeMs: number;
  paidAtMs: number | null;
  /** When it ended without being paid, or stopped being paid. */
  closedAtMs: number | null;
  /** How it stands with money of this order that is to go back; null when there is none. */
  refund: RefundState | null;
  /** When the last of its money had gone back; null while some has not. */
  refundedAtMs: number | null;
}

/** An order with whose it is. */
export type OwnedOrder = Order & { userId: string };

export interface OrderPage {
  orders: Order[];
  /** hand it back to read on; absent on the last page */
  nextCursor?: string;
}

const PAGE_SIZE = 20;

/** When the last money of order `o` had gone back, NULL while some has not: a refunded payment is not changed any more. Index: ix_payments_order. */
export const REFUNDED_AT = `(SELECT CASE WHEN MIN(p.status) = 'refunded' THEN MAX(p.updated_at) END FROM payments p
   WHERE p.order_id = o.id AND p.status IN ('refund_due', 'refund_failed', 'refunded')) AS refunded_at`;
/** Money of an order that is to go back, or has, is found by ix_payments_order. */
const COLUMNS = `o.id, o.sale_id, o.user_id, o.ticket_id, o.status, o.amount_minor, o.currency, o.created_at, o.pay_before, o.paid_at, o.closed_at,
  (SELECT MIN(p.status) FROM payments p WHERE p.order_id = o.id AND p.status IN ('refund_due', 'refund_failed', 'refunded')) AS refund,
  ${REFUNDED_AT}`;

/** Reads orders for the shopper they belong to, always from MySQL. */
@Injectable()
export class OrderReader {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws DomainError ORDER_NOT_FOUND for an unknown, malformed or someone else's id */
  async get(orderId: string, userId: string): Promise<Order> {
    const order = isOrderId(orderId) ? await this.findOf(orderId, userId) : undefined;
    if (!order) throw new DomainError('ORDER_NOT_FOUND', 'You have no such order.');
    return order;
  }

  /**
   * The shopper's orders, newest first, 20 a page.
   * @param cursor `nextCursor` of the page before
   * @throws DomainError VALIDATION_FAILED for a cursor this service did not make
   */
  async list(userId: string, cursor?: string): Promise<OrderPage> {
    const rows = await this.newestBefore(userId, cursor ? decodeCursor(cursor) : null);
    const orders = await this.withLines(rows.slice(0, PAGE_SIZE));
    const last = orders.at(-1);
    return rows.length > PAGE_SIZE && last ? { orders, nextCursor: encodeCursor(last.id) } : { orders };
  }

  /** Anybody's order. Index: PRIMARY. @throws DomainError ORDER_NOT_FOUND */
  async find(orderId: string): Promise<OwnedOrder> {
    const [order] = isOrderId(orderId) ? await this.findAll([orderId]) : [];
    if (!order) throw new DomainError('ORDER_NOT_FOUND', 'There is no such order.');
    return order;
  }

  /** Anybody's orders, in the order of the ids; those that are not there are left out. Index: PRIMARY. */
  async findAll(orderIds: string[]): Promise<OwnedOrder[]> {
    if (orderIds.length === 0) return [];
    const rows = await select(this.dataSource, `SELECT ${COLUMNS} FROM orders o WHERE o.id IN (?)`, [orderIds]);
    const found = new Map(rows.map((row) => [text(row, 'id'), row]));
    return this.withLines(orderIds.map((id) => found.get(id)).filter((row) => row !== undefined));
  }

  /** Index: PRIMARY. */
  private async findOf(orderId: string, userId: string): Promise<Order | undefined> {
    const rows = await select(this.dataSource, `SELECT ${COLUMNS} FROM orders o WHERE o.id = ? AND o.user_id = ?`, [orderId, userId]);
    return (await this.withLines(rows))[0];
  }

  /** Order ids are UUIDs of version 7, so their order is that of time. Index: ix_orders_user, read backwards; one row more tells of a next page. */
  private newestBefore(userId: string, beforeId: string | null): Promise<Row[]> {
    const from = beforeId === null ? '' : 'AND o.id < ?';
    const parameters = beforeId === null ? [userId] : [userId, beforeId];
    return select(this.dataSource, `SELECT ${COLUMNS} FROM orders o WHERE o.user_id = ? ${from} ORDER BY o.id DESC LIMIT ${PAGE_SIZE + 1}`, parameters);
  }

  /** Index: PRIMARY of order_lines. */
  private async withLines(rows: Row[]): Promise<OwnedOrder[]> {
    if (rows.length === 0) return [];
    const lines = await select(
      this.dataSource,
      `SELECT order_id, sale_item_id, goods_id, title, quantity, unit_price_minor FROM order_lines
        WHERE order_id IN (?) ORDER BY order_id, sale_item_id`,
      [rows.map((row) => text(row, 'id'))],
    );
    return rows.map((row) => toOrder(row, lines.filter((line) => line['order_id'] === row['id']).map(toLine)));
  }
}

function toOrder(row: Row, lines: OrderLine[]): OwnedOrder {
  return {
    id: text(row, 'id'),
    userId: text(row, 'user_id'),
    saleId: text(row, 'sale_id'),
    ticketId: text(row, 'ticket_id'),
    status: orderStatus(text(row, 'status')),
    amountMinor: integer(row, 'amount_minor'),
    currency: text(row, 'currency'),
    lines,
    createdAtMs: date(row, 'created_at').getTime(),
    payBeforeMs: date(row, 'pay_before').getTime(),
    paidAtMs: nullable(date, row, 'paid_at')?.getTime() ?? null,
    closedAtMs: nullable(date, row, 'closed_at')?.getTime() ?? null,
    refund: refundOf(nullable(text, row, 'refund')),
    refundedAtMs: nullable(date, row, 'refunded_at')?.getTime() ?? null,
  };
}

function toLine(row: Row): OrderLine {
  return {
    itemId: text(row, 'sale_item_id'),
    goodsId: text(row, 'goods_id'),
    title: text(row, 'title'),
    quantity: integer(row, 'quantity'),
    unitPriceMinor: integer(row, 'unit_price_minor'),
  };
}

/** While one payment is still due back, that is what the shopper has to know. */
const refundOf = (status: string | null): Order['refund'] => REFUND_STATES.find((state) => REFUND_PAYMENTS[state] === status) ?? null;
