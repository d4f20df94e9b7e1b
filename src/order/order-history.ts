import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { date, integer, nullable, select, text, type Row } from '../infra/database/index.js';
import { orderStatus, type OrderStatus } from './order-status.js';
import { PAYMENT_COLUMNS, toPayment, type Payment } from './payment/payment.js';

/** One step of an order. */
export interface OrderStep {
  atMs: number;
  /** null: the order came to be */
  from: OrderStatus | null;
  to: OrderStatus;
  /** who or what decided */
  cause: string;
}

/** What a provider said of a payment. */
export interface ProviderWord {
  eventId: string;
  result: string;
  amountMinor: number;
  currency: string;
  /** why, of a refund that failed */
  reason: string | null;
  receivedAtMs: number;
}

/** A payment with all that is known of it. */
export type PaymentRecord = Payment & { createdAtMs: number; updatedAtMs: number; refundTries: number; nextRefundAtMs: number | null; events: ProviderWord[] };

/** Reads what has happened to an order and its money. */
@Injectable()
export class OrderHistory {
  constructor(private readonly dataSource: DataSource) {}

  /** The steps of an order, the first one first. Index: ix_order_events_order. */
  async steps(orderId: string): Promise<OrderStep[]> {
    const rows = await select(this.dataSource, 'SELECT created_at, from_status, to_status, cause FROM order_events WHERE order_id = ? ORDER BY id', [orderId]);
    return rows.map((row) => ({
      atMs: date(row, 'created_at').getTime(),
      from: fromStatus(nullable(text, row, 'from_status')),
      to: orderStatus(text(row, 'to_status')),
      cause: text(row, 'cause'),
    }));
  }

  /** The payments of an order with what their providers said, the first one first. Indexes: ix_payments_order, ix_payment_events_payment. */
  async payments(orderId: string): Promise<PaymentRecord[]> {
    const rows = await select(
      this.dataSource,
      `SELECT ${PAYMENT_COLUMNS}, created_at, updated_at, refund_tries, next_refund_at FROM payments WHERE order_id = ? ORDER BY created_at, id`,
      [orderId],
    );
    if (rows.length === 0) return [];
    const words = await select(
      this.dataSource,
      `SELECT provider, payment_id, event_id, result, amount_minor, currency, reason, received_at FROM payment_events WHERE payment_id IN (?) ORDER BY id`,
      [rows.map((row) => text(row, 'id'))],
    );
    return rows.map((row) => toRecord(row, words.filter((word) => word['payment_id'] === row['id'] && word['provider'] === row['provider'])));
  }
}

function toRecord(row: Row, words: Row[]): PaymentRecord {
  const payment = toPayment(row);
  return {
    ...payment,
    createdAtMs: date(row, 'created_at').getTime(),
    updatedAtMs: date(row, 'updated_at').getTime(),
    refundTries: integer(row, 'refund_tries'),
    // The time of a try that is not due any more stays in the row.
    nextRefundAtMs: payment.status === 'refund_due' ? (nullable(date, row, 'next_refund_at')?.getTime() ?? null) : null,
    events: words.map(toWord),
  };
}

function toWord(row: Row): ProviderWord {
  return {
    eventId: text(row, 'event_id'),
    result: text(row, 'result'),
    amountMinor: integer(row, 'amount_minor'),
    currency: text(row, 'currency'),
    reason: nullable(text, row, 'reason'),
    receivedAtMs: date(row, 'received_at').getTime(),
  };
}

const fromStatus = (word: string | null): OrderStatus | null => (word === null ? null : orderStatus(word));
