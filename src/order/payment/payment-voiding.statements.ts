import type { EntityManager } from 'typeorm';
import { execute, select, type Executor } from '../../infra/database/index.js';
import { PAYMENT_COLUMNS, toPayment, type Payment } from './payment.js';

/** Whoever voids a payment tells the provider at once; the job comes in after that. */
const FIRST_DUE_MS = 5000;

/**
 * Marks the pending payments of orders that are closing as cancelled, notes that their providers are to be told, and answers them. The
 * orders' rows are locked by the caller, and nobody writes a payment without that lock, so what is read here is what is changed.
 * Index: ix_payments_order.
 */
export async function voidPendingPayments(manager: EntityManager, orderIds: string[], nowMs: number): Promise<Payment[]> {
  const rows = await select(manager, `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE order_id IN (?) AND status = 'pending' ORDER BY id`, [orderIds]);
  if (rows.length === 0) return [];
  const payments = rows.map(toPayment);
  await execute(
    manager,
    `UPDATE payments FORCE INDEX (PRIMARY) SET status = 'cancelled', updated_at = ?, void_due_at = ? WHERE id IN (?) AND status = 'pending'`,
    [new Date(nowMs), new Date(nowMs + FIRST_DUE_MS), payments.map(({ id }) => id)],
  );
  return payments.map((payment) => ({ ...payment, status: 'cancelled' }));
}

/** Voided payments whose provider is to be told now, those that wait longest first. Index: ix_payments_void. */
export async function dueVoids(executor: Executor, nowMs: number, limit: number): Promise<Payment[]> {
  const rows = await select(executor, `SELECT ${PAYMENT_COLUMNS} FROM payments WHERE void_due_at <= ? ORDER BY void_due_at LIMIT ?`, [new Date(nowMs), limit]);
  return rows.map(toPayment);
}

/** Puts the next try off, twice as long each time: from five seconds to an hour. Index: PRIMARY. */
export async function putOffVoid(executor: Executor, paymentIds: string[], nowMs: number): Promise<void> {
  if (paymentIds.length === 0) return;
  await execute(
    executor,
    // MySQL assigns from left to right: the wait is reckoned from the raised number.
    `UPDATE payments FORCE INDEX (PRIMARY) SET void_tries = void_tries + 1,
            void_due_at = DATE_ADD(?, INTERVAL LEAST(3600, 2.5 * POW(2, LEAST(void_tries, 12))) SECOND)
      WHERE id IN (?) AND void_due_at IS NOT NULL`,
    [new Date(nowMs), paymentIds],
  );
}

/** Their providers know. Index: PRIMARY. */
export async function markTold(executor: Executor, paymentIds: string[]): Promise<void> {
  if (paymentIds.length === 0) return;
  await execute(executor, 'UPDATE payments FORCE INDEX (PRIMARY) SET void_due_at = NULL WHERE id IN (?)', [paymentIds]);
}
