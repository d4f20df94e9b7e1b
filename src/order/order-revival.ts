import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SaleReader } from '../goods/index.js';
import { execute, integer, placeholders, select, text } from '../infra/database/index.js';
import { recordEvents } from './order-closing.statements.js';
import { transition, type OrderStatus } from './order-status.js';
import { TokenTaking, type Taken } from './token-taking.js';

/** The closed order can't have units again: none are free, or its shopper has as many as the limit allows. */
export class NotRevivable extends Error {}

export interface ClosedOrder {
  orderId: string;
  saleId: string;
  status: Extract<OrderStatus, 'expired' | 'cancelled'>;
}

interface Line {
  itemId: string;
  quantity: number;
  limitPerUser: number;
}

/**
 * Gives a closed order units again, because its payment came after all. It runs in the caller's transaction, which holds the sale's row
 * shared and the order's row; the tokens it takes are the caller's to conclude afterwards.
 */
@Injectable()
export class OrderRevival {
  constructor(
    private readonly sales: SaleReader,
    private readonly tokens: TokenTaking,
  ) {}

  /**
   * Makes the order paid.
   * @param taken what an earlier try of the same transaction took already; what this one takes is added
   * @throws NotRevivable; the transaction must then be rolled back, and `taken` returned
   */
  async revive(manager: EntityManager, order: ClosedOrder, how: { epoch: string; cause: string; nowMs: number }, taken: Taken[]): Promise<void> {
    const { userId, lines } = await readOrder(manager, order.orderId);
    if (taken.length === 0) await this.take(manager, { saleId: order.saleId, epoch: how.epoch, userId }, lines, taken);
    for (const line of lines) await hold(manager, order.orderId, userId, line, serialsOf(taken, line.itemId));
    await execute(manager, `UPDATE orders SET status = 'paid', paid_at = ?, closed_at = NULL WHERE id = ? AND status = ?`, [new Date(how.nowMs), order.orderId, order.status]);
    await recordEvents(manager, { saleId: order.saleId, orderIds: [order.orderId], transition: transition(order.status, 'paid'), cause: how.cause, nowMs: how.nowMs });
  }

  private async take(manager: EntityManager, { saleId, epoch, userId }: { saleId: string; epoch: string; userId: string }, lines: Line[], taken: Taken[]): Promise<void> {
    // Over the transaction's own connection: who holds one and waits for another can use up the pool with others like it.
    const sale = await this.sales.get(saleId, manager);
    for (const { itemId, quantity } of lines) {
      const { outcome } = await this.tokens.take(sale, epoch, { itemId, units: quantity, userId }, taken);
      if (outcome !== 'taken') throw new NotRevivable();
    }
  }
}

const serialsOf = (taken: Taken[], itemId: string): number[] => taken.filter((part) => part.itemId === itemId).flatMap(({ serials }) => serials);

/** By the primary keys. */
async function readOrder(manager: EntityManager, orderId: string): Promise<{ userId: string; lines: Line[] }> {
  const rows = await select(
    manager,
    `SELECT o.user_id, l.sale_item_id, l.quantity, i.limit_per_user
       FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN sale_items i ON i.id = l.sale_item_id
      WHERE o.id = ? ORDER BY l.sale_item_id`,
    [orderId],
  );
  const lines = rows.map((row) => ({ itemId: text(row, 'sale_item_id'), quantity: integer(row, 'quantity'), limitPerUser: integer(row, 'limit_per_user') }));
  const [first] = rows;
  if (!first) throw new Error(`order ${orderId} has no lines`);
  return { userId: text(first, 'user_id'), lines };
}

/** The units of one line, in slots of the shopper that are free below the limit (by uq_held_tokens_slot), and counted as sold. */
async function hold(manager: EntityManager, orderId: string, userId: string, line: Line, serials: number[]): Promise<void> {
  const held = await select(manager, 'SELECT user_slot FROM held_tokens WHERE sale_item_id = ? AND user_id = ?', [line.itemId, userId]);
  const inUse = new Set(held.map((row) => integer(row, 'user_slot')));
  const free = Array.from({ length: line.limitPerUser }, (_, index) => index + 1).filter((slot) => !inUse.has(slot));
  if (free.length < serials.length) throw new NotRevivable();
  const rows = [...serials].sort((a, b) => a - b).flatMap((serial, index) => [line.itemId, serial, orderId, userId, free[index]]);
  await execute(manager, `INSERT INTO held_tokens (sale_item_id, serial, order_id, user_id, user_slot) VALUES ${placeholders(serials.length, 5)}`, rows);
  const counted = await execute(manager, 'UPDATE sale_items SET sold = sold + ? WHERE id = ? AND sold + ? <= stock', [serials.length, line.itemId, serials.length]);
  if (counted !== 1) throw new NotRevivable();
}
