import type { EntityManager } from 'typeorm';
import { execute, select, text, type Executor } from '../infra/database/index.js';

/** Tables with a row or more for each order. */
const OF_ORDERS = ['payments', 'order_events', 'token_returns', 'held_tokens', 'order_lines'] as const;
/** Tables with rows for the sale as a whole. */
const OF_SALES = ['sale_counts', 'sale_reports', 'sale_audit', 'sale_events'] as const;

/**
 * Makes a draft of the sale and raises its epoch, so that no job looks at it any more, no build of it begins, and work begun before is
 * refused. Whatever moves tokens holds the sale's row, so nothing is under way when this comes back.
 */
export async function retire(manager: EntityManager, saleId: string): Promise<void> {
  await select(manager, 'SELECT id FROM sales WHERE id = ? FOR UPDATE', [saleId]);
  await execute(manager, `UPDATE sales SET state = 'draft', epoch = epoch + 1 WHERE id = ?`, [saleId]);
}

/**
 * Removes up to so many orders of the sale, with all that belongs to them; answers how many. The orders are locked first, as by everyone who
 * moves one. Indexes: ix_orders_sale, and for the rest those by order.
 */
export async function removeOrders(manager: EntityManager, saleId: string, limit: number): Promise<number> {
  const rows = await select(manager, 'SELECT id FROM orders WHERE sale_id = ? ORDER BY id LIMIT ? FOR UPDATE', [saleId, limit]);
  if (rows.length === 0) return 0;
  const ids = rows.map((row) => text(row, 'id'));
  await execute(manager, 'DELETE FROM payment_events WHERE payment_id IN (SELECT id FROM payments WHERE order_id IN (?))', [ids]);
  for (const table of OF_ORDERS) await execute(manager, `DELETE FROM ${table} WHERE order_id IN (?)`, [ids]);
  await execute(manager, 'DELETE FROM orders WHERE id IN (?)', [ids]);
  return rows.length;
}

export async function removeStatistics(executor: Executor, saleId: string): Promise<void> {
  for (const table of OF_SALES) await execute(executor, `DELETE FROM ${table} WHERE sale_id = ?`, [saleId]);
}

/** Removes what is left of it: tokens withdrawn by hand, the items, the sale, and its goods unless somebody offers them elsewhere. */
export async function removeSale(manager: EntityManager, saleId: string): Promise<void> {
  const items = await select(manager, 'SELECT id, goods_id FROM sale_items WHERE sale_id = ? FOR UPDATE', [saleId]);
  for (const item of items) await execute(manager, 'DELETE FROM held_tokens WHERE sale_item_id = ?', [text(item, 'id')]);
  await execute(manager, 'DELETE FROM sale_items WHERE sale_id = ?', [saleId]);
  await execute(manager, 'DELETE FROM sales WHERE id = ?', [saleId]);
  for (const item of items) {
    const goodsId = text(item, 'goods_id');
    await execute(manager, 'DELETE FROM goods WHERE id = ? AND NOT EXISTS (SELECT 1 FROM sale_items WHERE goods_id = ?)', [goodsId, goodsId]);
  }
}
