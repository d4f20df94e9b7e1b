import type { EntityManager } from 'typeorm';
import { execute, integer, isDuplicateKey, select, type Executor } from '../../infra/database/index.js';
import type { Money, PaymentEvent, RefundFailure } from './payment-provider.js';
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

/** A word of a provider's as it is kept. */
export type KeptWord = Money & Pick<PaymentEvent, 'eventId' | 'result'> & { reason?: string };

/** Keeps what a provider said; false when it is known already (by uq_payment_events): then nothing of it may be booked again. */
export async function insertEvent(manager: EntityManager, { id, provider }: Payment, word: KeptWord, nowMs: number): Promise<boolean> {
  try {
    await execute(
      manager,
      'INSERT INTO payment_events (provider, event_id, payment_id, result, amount_minor, currency, reason, received_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      [provider, word.eventId, id, word.result, word.amountMinor, word.currency, word.reason ?? null, new Date(nowMs)],
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Under which id the failure of a refund is kept: it is told by several events, and found by calls, but has happened once. */
const failureId = (refundRef: string): string => `refund_failed:${refundRef}`;

/** Keeps that a refund has failed; false when that is known already. */
export function insertRefundFailure(manager: EntityManager, payment: Payment, { refundRef, reason }: RefundFailure, { amountMinor, currency }: Money, nowMs: number): Promise<boolean> {
  return insertEvent(manager, payment, { eventId: failureId(refundRef), result: 'refund_failed', amountMinor, currency, reason }, nowMs);
}

/** How many refunds of a payment have failed. Index: ix_payment_events_payment. */
export async function countRefundFailures(executor: Executor, { id, provider }: Payment): Promise<number> {
  const [row = {}] = await select(executor, `SELECT COUNT(*) AS failures FROM payment_events WHERE payment_id = ? AND provider = ? AND result = 'refund_failed'`, [id, provider]);
  return integer(row, 'failures');
}

/** Whether this very refund is known to have failed. Index: uq_payment_events. */
export async function hasFailed(executor: Executor, { provider }: Payment, refundRef: string): Promise<boolean> {
  return (await select(executor, 'SELECT id FROM payment_events WHERE provider = ? AND event_id = ?', [provider, failureId(refundRef)])).length > 0;
}

/** What could not be sent back of an order is due again, at once; answers how many payments that are. Index: ix_payments_order. */
export function retryFailedRefunds(manager: EntityManager, orderId: string, nowMs: number): Promise<number> {
  const now = new Date(nowMs);
  return execute(manager, `UPDATE payments SET status = 'refund_due', updated_at = ?, next_refund_at = ? WHERE order_id = ? AND status = 'refund_failed'`, [now, now, orderId]);
}

/** When the next refund is asked for. Index: PRIMARY. */
export async function setNextRefund(manager: EntityManager, paymentId: string, atMs: number): Promise<void> {
  await execute(manager, 'UPDATE payments SET next_refund_at = ? WHERE id = ?', [new Date(atMs), paymentId]);
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
