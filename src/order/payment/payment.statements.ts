import type { EntityManager } from 'typeorm';
import { execute, isDuplicateKey, select, type Executor } from '../../infra/database/index.js';
import type { PaymentEvent } from './payment-provider.js';
import { PAYMENT_COLUMNS, toPayment, type Payment, type PaymentStatus } from './payment.js';

/** One payment of a provider. Index: PRIMARY. */
export async function findPayment(executor: Executor, paymentId: string, provider: string): Promise<Payment | null> {
  const [row] = await select(executor, `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE id = ? AND provider = ?`, [paymentId, provider]);
  return row ? toPayment(row) : null;
}

/** The payment that a provider speaks of, by our id or else by its own. Index: PRIMARY or ix_payments_ref. */
export async function paymentOfEvent(executor: Executor, provider: string, { paymentId, providerRef }: PaymentEvent): Promise<Payment | null> {
  if (paymentId !== undefined) return findPayment(executor, paymentId, provider);
  const [row] = await select(executor, `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE provider = ? AND provider_ref = ?`, [provider, providerRef]);
  return row ? toPayment(row) : null;
}

/**
 * The payment that tells most about an order: the one that succeeded, else the newest. Index: ix_payments_order.
 */
export async function leadingPayment(executor: Executor, orderId: string): Promise<Payment | null> {
  const [row] = await select(
    executor,
    `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE order_id = ? ORDER BY status = 'succeeded' DESC, created_at DESC, id DESC LIMIT 1`,
    [orderId],
  );
  return row ? toPayment(row) : null;
}

/** The provider's pending payment of an order; uq_payments_open lets there be one at most. Index: ix_payments_order. */
export async function pendingPayment(executor: Executor, orderId: string, provider: string): Promise<Payment | null> {
  const [row] = await select(
    executor,
    `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE order_id = ? AND provider = ? AND status = 'pending'`,
    [orderId, provider],
  );
  return row ? toPayment(row) : null;
}

/** Writes a new payment. */
export async function insertPayment(manager: EntityManager, payment: Payment, nowMs: number): Promise<void> {
  const at = new Date(nowMs);
  await execute(
    manager,
    `INSERT INTO payments (id, order_id, provider, provider_ref, status, amount_minor, currency, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [payment.id, payment.orderId, payment.provider, payment.providerRef, payment.status, payment.amountMinor, payment.currency, at, at],
  );
}

/** Keeps what the provider calls the payment, once. Index: PRIMARY. */
export async function keepProviderRef(executor: Executor, paymentId: string, providerRef: string): Promise<void> {
  await execute(executor, 'UPDATE payments SET provider_ref = ? WHERE id = ? AND provider_ref IS NULL', [providerRef, paymentId]);
}

/**
 * Moves a payment from one status to another; false if it was no longer in `from`. Once a provider has had its word about it, there is
 * nothing left to void. Index: PRIMARY.
 */
export async function movePayment(
  manager: EntityManager,
  paymentId: string,
  step: { from: PaymentStatus; to: PaymentStatus; nowMs: number },
): Promise<boolean> {
  const moved = await execute(manager, 'UPDATE payments SET status = ?, updated_at = ?, void_due_at = NULL WHERE id = ? AND status = ?', [
    step.to,
    new Date(step.nowMs),
    paymentId,
    step.from,
  ]);
  return moved === 1;
}

/** Keeps what a provider said; false when it is known already (by uq_payment_events): then nothing of it may be booked again. */
export async function insertEvent(manager: EntityManager, { id, provider }: Payment, event: PaymentEvent, nowMs: number): Promise<boolean> {
  try {
    await execute(
      manager,
      'INSERT INTO payment_events (provider, event_id, payment_id, result, amount_minor, currency, received_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      [provider, event.eventId, id, event.result, event.amountMinor, event.currency, new Date(nowMs)],
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Payments whose money is due back and whose next try has come, those that wait longest first. Index: ix_payments_refund. */
export async function dueRefunds(executor: Executor, nowMs: number, limit: number): Promise<Payment[]> {
  const rows = await select(
    executor,
    `SELECT ${PAYMENT_COLUMNS} FROM payments
      WHERE status = 'refund_due' AND (next_refund_at IS NULL OR next_refund_at <= ?) ORDER BY next_refund_at LIMIT ?`,
    [new Date(nowMs), limit],
  );
  return rows.map(toPayment);
}

/** Puts the next try of a refund off, twice as long each time: from five seconds to an hour. Index: PRIMARY. */
export async function putOffRefund(executor: Executor, paymentId: string, nowMs: number): Promise<void> {
  await execute(
    executor,
    `UPDATE payments SET refund_tries = refund_tries + 1,
            next_refund_at = DATE_ADD(?, INTERVAL LEAST(3600, 5 * POW(2, LEAST(refund_tries, 12))) SECOND)
      WHERE id = ? AND status = 'refund_due'`,
    [new Date(nowMs), paymentId],
  );
}

/** The payment that paid an order; null when none has, or its money is on its way back. Index: ix_payments_order. */
export async function succeededPayment(executor: Executor, orderId: string): Promise<Payment | null> {
  const [row] = await select(executor, `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE order_id = ? AND status = 'succeeded'`, [orderId]);
  return row ? toPayment(row) : null;
}
