import type { EntityManager } from 'typeorm';
import { recordChange } from '../goods/index.js';
import { execute, integer, placeholders, select, text, type Executor } from '../infra/database/index.js';
import type { Transition } from './order-status.js';

/** Orders of one sale that take the same step at the same moment. */
export interface Step {
  saleId: string;
  orderIds: string[];
  transition: Transition;
  /** who or what decided, as kept in `order_events` (at most 64 ASCII characters) */
  cause: string;
  nowMs: number;
}

/**
 * Begins a transaction that changes orders of a sale: waits out a rebuild of the sale's Redis state, which locks this row exclusively.
 * Always the first lock taken; then orders, held tokens and sale items, each by id. Index: PRIMARY of sales.
 */
export async function lockSale(manager: EntityManager, saleId: string): Promise<void> {
  await select(manager, 'SELECT id FROM sales WHERE id = ? LOCK IN SHARE MODE', [saleId]);
}

/**
 * Locks up to `limit` unpaid orders of the sale whose time to pay is over at `nowMs`, longest overdue first, and answers their ids.
 * Orders that another transaction has in hand are passed over. Index: a range of ix_orders_due, named because the sale's own index
 * would read every order of the sale.
 */
export async function lockDueOrders(manager: EntityManager, saleId: string, nowMs: number, limit: number): Promise<string[]> {
  const rows = await select(
    manager,
    `SELECT id FROM orders FORCE INDEX (ix_orders_due)
      WHERE status = 'awaiting_payment' AND pay_before <= ? AND sale_id = ?
      ORDER BY pay_before LIMIT ? FOR UPDATE SKIP LOCKED`,
    [new Date(nowMs), saleId, limit],
  );
  return rows.map((row) => text(row, 'id')).sort();
}

/** The sales of the `lookAt` longest overdue orders, without any lock. Index: a range of ix_orders_due. */
export async function salesWithDueOrders(executor: Executor, nowMs: number, lookAt: number): Promise<string[]> {
  const rows = await select(
    executor,
    `SELECT DISTINCT due.sale_id FROM (
       SELECT sale_id FROM orders FORCE INDEX (ix_orders_due)
        WHERE status = 'awaiting_payment' AND pay_before <= ? ORDER BY pay_before LIMIT ?
     ) AS due`,
    [new Date(nowMs), lookAt],
  );
  return rows.map((row) => text(row, 'sale_id'));
}

/**
 * Closes the orders of the step that are still in its `from` status, and answers how many those are: this conditional update decides
 * between pay, cancel and expire. Index: PRIMARY of orders.
 */
export function markClosed(manager: EntityManager, step: Step): Promise<number> {
  return execute(manager, 'UPDATE orders FORCE INDEX (PRIMARY) SET status = ?, closed_at = ? WHERE id IN (?) AND status = ?', [
    step.transition.to,
    new Date(step.nowMs),
    step.orderIds,
    step.transition.from,
  ]);
}

/** The same decision for the step to `paid`: 1 if this call took it. Index: PRIMARY of orders. */
export function markPaid(manager: EntityManager, orderId: string, nowMs: number): Promise<number> {
  return execute(manager, `UPDATE orders SET status = 'paid', paid_at = ? WHERE id = ? AND status = 'awaiting_payment'`, [
    new Date(nowMs),
    orderId,
  ]);
}

/** Writes what happened into the outbox that the relay carries to the tickets. */
export async function recordEvents(manager: EntityManager, step: Step): Promise<void> {
  const { from, to } = step.transition;
  const at = new Date(step.nowMs);
  await execute(
    manager,
    `INSERT INTO order_events (order_id, sale_id, from_status, to_status, cause, created_at) VALUES ${placeholders(step.orderIds.length, 6)}`,
    step.orderIds.flatMap((id) => [id, step.saleId, from, to, step.cause, at]),
  );
}

/**
 * Moves every token of the just closed orders into the outbox `token_returns`, and takes the units off the items' `sold`.
 * Who calls it has won the orders' conditional update, so nobody else touches these tokens.
 * Indexes: ix_held_tokens_order, PRIMARY of orders and sale_items.
 */
export async function returnTokens(manager: EntityManager, step: Step): Promise<void> {
  const counts = await select(
    manager,
    'SELECT sale_item_id, COUNT(*) AS units FROM held_tokens WHERE order_id IN (?) GROUP BY sale_item_id ORDER BY sale_item_id',
    [step.orderIds],
  );
  const units = counts.reduce((sum, row) => sum + integer(row, 'units'), 0);
  mustMatch('token_returns', units, await copyToReturns(manager, step));
  mustMatch('held_tokens', units, await deleteHeld(manager, step.orderIds));
  for (const row of counts) {
    const taken = await execute(manager, 'UPDATE sale_items SET sold = sold - ? WHERE id = ?', [integer(row, 'units'), text(row, 'sale_item_id')]);
    mustMatch('sale_items', 1, taken);
  }
}

/**
 * Takes the units of the just closed orders out of sale for good: they count for their shopper's limit still, but are no longer sold, nor
 * stock, which the audit tells. Index: ix_held_tokens_order, PRIMARY of sale_items.
 */
export async function withdrawTokens(manager: EntityManager, { saleId, orderIds, nowMs }: Step, operatorId: string): Promise<void> {
  const counts = await select(
    manager,
    'SELECT sale_item_id, COUNT(*) AS units FROM held_tokens WHERE order_id IN (?) GROUP BY sale_item_id ORDER BY sale_item_id',
    [orderIds],
  );
  await execute(manager, 'UPDATE held_tokens FORCE INDEX (ix_held_tokens_order) SET order_id = NULL WHERE order_id IN (?)', [orderIds]);
  for (const row of counts) {
    const units = integer(row, 'units');
    const itemId = text(row, 'sale_item_id');
    mustMatch('sale_items', 1, await execute(manager, 'UPDATE sale_items SET sold = sold - ?, stock = stock - ? WHERE id = ?', [units, units, itemId]));
    const [item = {}] = await select(manager, 'SELECT stock FROM sale_items WHERE id = ?', [itemId]);
    const stock = integer(item, 'stock');
    await recordChange(manager, { saleId, operatorId, action: 'refund', before: { itemId, stock: stock + units }, after: { itemId, stock } }, nowMs);
  }
}

function copyToReturns(manager: EntityManager, step: Step): Promise<number> {
  return execute(
    manager,
    `INSERT INTO token_returns (sale_id, shard, sale_item_id, serial, order_id, user_id, created_at)
     SELECT o.sale_id, o.shard, h.sale_item_id, h.serial, h.order_id, h.user_id, ?
       FROM held_tokens h JOIN orders o ON o.id = h.order_id
      WHERE h.order_id IN (?)
      ORDER BY h.order_id, h.sale_item_id, h.serial`,
    [new Date(step.nowMs), step.orderIds],
  );
}

/** Named index: a scan of the table would wait for every drain that is just writing to it. */
function deleteHeld(manager: EntityManager, orderIds: string[]): Promise<number> {
  return execute(manager, 'DELETE h FROM held_tokens h FORCE INDEX (ix_held_tokens_order) WHERE h.order_id IN (?)', [orderIds]);
}

function mustMatch(table: string, expected: number, actual: number): void {
  if (expected !== actual) throw new Error(`${table}: ${actual} rows where ${expected} were due; nothing is changed`);
}
