import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Settings } from '../config/index.js';
import { SaleReader } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { execute, integer, isDuplicateKey, placeholders, select, text } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import { recordEvents } from './order-closing.statements.js';
import { transition, type OrderStatus } from './order-status.js';
import { TokenTaking, type Hand } from './token-taking.js';

/** The closed order can't have units again: none are free, or its shopper has as many as the limit allows. */
export class NotRevivable extends Error {}
/** Somebody else was quicker with a slot of the shopper's limit, or with a token: worth another try. */
export class Contested extends Error {}

export interface ClosedOrder {
  orderId: string;
  saleId: string;
  status: Extract<OrderStatus, 'expired' | 'cancelled'>;
}

interface Line {
  itemId: string;
  units: number;
  limitPerUser: number;
}

interface Buyer {
  userId: string;
  shard: number;
}

const RETRY_MS = 5000;

/**
 * Gives a closed order units again, because its payment came after all. It runs in the caller's transaction, which holds the sale's row
 * shared and the order's row; the tokens it takes into the hand are the caller's to keep or to give back afterwards.
 */
@Injectable()
export class OrderRevival {
  constructor(
    private readonly sales: SaleReader,
    private readonly tokens: TokenTaking,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
  ) {}

  /**
   * Makes the order paid.
   * @throws NotRevivable or Contested; DomainError NOT_LOADED or UNAVAILABLE where it can't be told just now. The transaction must then be
   *   rolled back, and the hand given back
   */
  async revive(manager: EntityManager, order: ClosedOrder, how: { epoch: string; cause: string; nowMs: number }, hand: Hand): Promise<void> {
    const { buyer, lines } = await readOrder(manager, order.orderId);
    await this.take(manager, order.saleId, { epoch: how.epoch, buyer, lines }, hand);
    for (const line of lines) await hold(manager, order.orderId, buyer.userId, line, hand.serialsOf(line.itemId));
    await execute(manager, `UPDATE orders SET status = 'paid', paid_at = ?, closed_at = NULL WHERE id = ? AND status = ?`, [new Date(how.nowMs), order.orderId, order.status]);
    await recordEvents(manager, { saleId: order.saleId, orderIds: [order.orderId], transition: transition(order.status, 'paid'), cause: how.cause, nowMs: how.nowMs });
  }

  /** Reads over the transaction's own connection: who holds one and waits for another can use up the pool with others like it. */
  private async take(manager: EntityManager, saleId: string, { epoch, buyer, lines }: { epoch: string; buyer: Buyer; lines: Line[] }, hand: Hand): Promise<void> {
    const sale = await this.sales.get(saleId, manager);
    const outcome = await this.tokens.take(hand, { sale, epoch, buyer, wanted: lines });
    if (outcome.outcome === 'taken') return;
    const isPast = sale.endsAt.getTime() + this.settings.RETENTION_SECONDS * 1000 <= this.clock.nowMs();
    if (outcome.outcome === 'not_loaded' && !isPast) throw new DomainError('NOT_LOADED', 'The sale is being loaded; send it again in a moment.', {}, { retryAfterMs: RETRY_MS });
    if (outcome.outcome === 'short' && outcome.othersTaking) throw new DomainError('UNAVAILABLE', 'Its units may come back in a moment; send it again.', {}, { retryAfterMs: RETRY_MS });
    throw new NotRevivable();
  }
}

/** By the primary keys. */
async function readOrder(manager: EntityManager, orderId: string): Promise<{ buyer: Buyer; lines: Line[] }> {
  const rows = await select(
    manager,
    `SELECT o.user_id, o.shard, l.sale_item_id, l.quantity, i.limit_per_user
       FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN sale_items i ON i.id = l.sale_item_id
      WHERE o.id = ? ORDER BY l.sale_item_id`,
    [orderId],
  );
  const lines = rows.map((row) => ({ itemId: text(row, 'sale_item_id'), units: integer(row, 'quantity'), limitPerUser: integer(row, 'limit_per_user') }));
  const [first] = rows;
  if (!first) throw new Error(`order ${orderId} has no lines`);
  return { buyer: { userId: text(first, 'user_id'), shard: integer(first, 'shard') }, lines };
}

/** The units of one line, in slots of the shopper that are free below the limit (by uq_held_tokens_slot), and counted as sold. */
async function hold(manager: EntityManager, orderId: string, userId: string, line: Line, serials: number[]): Promise<void> {
  const held = await select(manager, 'SELECT user_slot FROM held_tokens WHERE sale_item_id = ? AND user_id = ?', [line.itemId, userId]);
  const inUse = new Set(held.map((row) => integer(row, 'user_slot')));
  const free = Array.from({ length: line.limitPerUser }, (_, index) => index + 1).filter((slot) => !inUse.has(slot));
  if (free.length < serials.length) throw new NotRevivable();
  const rows = serials.flatMap((serial, index) => [line.itemId, serial, orderId, userId, free[index]]);
  try {
    await execute(manager, `INSERT INTO held_tokens (sale_item_id, serial, order_id, user_id, user_slot) VALUES ${placeholders(serials.length, 5)}`, rows);
  } catch (error) {
    throw isDuplicateKey(error) ? new Contested() : error;
  }
  const counted = await execute(manager, 'UPDATE sale_items SET sold = sold + ? WHERE id = ? AND sold + ? <= stock', [serials.length, line.itemId, serials.length]);
  if (counted !== 1) throw new NotRevivable();
}
