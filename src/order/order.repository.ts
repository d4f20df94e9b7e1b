import { Injectable, Logger } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { date, execute, integer, inTransaction, isDatabaseUnavailable, isDuplicateKey, isTransient, mysqlCode, placeholders, ReservedPool, select, text, type Executor, type Row } from '../infra/database/index.js';

/** An order as the drain wants it written: the price is copied here and never looked up again. */
export interface NewOrder {
  id: string;
  ticketId: string;
  userId: string;
  amountMinor: number;
  currency: string;
  /** When the shopper joined; null where a rebuild has lost it. */
  joinedAt: Date | null;
  createdAt: Date;
  payBefore: Date;
  lines: NewOrderLine[];
}

export interface NewOrderLine {
  itemId: string;
  goodsId: string;
  title: string;
  quantity: number;
  unitPriceMinor: number;
  limitPerUser: number;
  serials: number[];
}

export interface OrderBatch {
  saleId: string;
  shard: number;
  /** Epoch of the claim; a batch claimed before a rebuild is refused whole. */
  epoch: string;
  orders: NewOrder[];
}

/**
 * `refused`: a unique key or the stock spoke against some order of the batch. `failed`: MySQL answered with an error that a repeat will
 * meet again. In both cases nothing of the batch was written.
 */
export type CommitOutcome = 'committed' | 'refused' | 'failed' | 'stale';

/** What a ticket became, as its shopper is told. */
export interface ExistingOrder {
  orderId: string;
  amountMinor: number;
  currency: string;
  payBeforeMs: number;
}

/** Why MySQL would not take one order. */
export type Refusal =
  | ({ outcome: 'exists' } & ExistingOrder)
  | { outcome: 'rejected'; reason: 'UNPAID_ORDER' | 'LIMIT_REACHED' | 'SOLD_OUT' }
  /** These tokens are in other hands (or beyond the stock, or doubled): the order needs other ones. Each copy to be dropped is named once. */
  | { outcome: 'tokens_taken'; tokens: { itemId: string; serial: number }[] }
  | { outcome: 'no_objection' };

/** Tokens in one INSERT: some hundred KiB. */
const ROWS_PER_STATEMENT = 5000;

class Refused extends Error {}
class Stale extends Error {}

/** Writes orders: one transaction a batch, multi-row statements, in one fixed order of tables and keys. */
@Injectable()
export class OrderRepository {
  private readonly logger = new Logger('Orders');

  private readonly dataSource: DataSource;

  constructor(pool: ReservedPool) {
    this.dataSource = pool.dataSource;
  }

  /** Commits the whole batch or nothing of it. @throws when the database can't be asked: the commit may then have happened */
  async commit(batch: OrderBatch): Promise<CommitOutcome> {
    if (batch.orders.length === 0) return 'committed';
    try {
      await inTransaction(this.dataSource, (manager) => writeBatch(manager, batch));
      return 'committed';
    } catch (error) {
      if (error instanceof Stale) return 'stale';
      if (error instanceof Refused || isDuplicateKey(error)) return 'refused';
      if (mysqlCode(error) === undefined || isDatabaseUnavailable(error) || isTransient(error)) throw error;
      this.logger.error({ saleId: batch.saleId, orders: batch.orders.length, err: error, msg: 'MySQL can not write these orders' });
      return 'failed';
    }
  }

  /** Finds out why an order was refused alone. `no_objection`: what stood in the way has gone; try again. */
  async diagnose(order: NewOrder): Promise<Refusal> {
    // The tokens first: should another drain commit this very order in between, it is then found as what it is.
    const tokens = await this.tokensTaken(order);
    const existing = (await this.findByTickets([order.ticketId])).get(order.ticketId);
    if (existing) return { outcome: 'exists', ...existing };
    if (tokens.length > 0) return { outcome: 'tokens_taken', tokens };
    if (await this.hasUnpaid(order)) return { outcome: 'rejected', reason: 'UNPAID_ORDER' };
    if (await this.exceedsLimit(order)) return { outcome: 'rejected', reason: 'LIMIT_REACHED' };
    if (await this.exceedsStock(order)) return { outcome: 'rejected', reason: 'SOLD_OUT' };
    return { outcome: 'no_objection' };
  }

  /** Which of these tickets became orders already, by uq_orders_ticket. */
  async findByTickets(ticketIds: string[]): Promise<Map<string, ExistingOrder>> {
    if (ticketIds.length === 0) return new Map();
    const rows = await select(
      this.dataSource,
      'SELECT id, ticket_id, amount_minor, currency, pay_before FROM orders WHERE ticket_id IN (?)',
      [ticketIds],
    );
    return new Map(rows.map((row) => [text(row, 'ticket_id'), readExisting(row)]));
  }

  /**
   * By the primary key of held_tokens. A serial beyond what was issued belongs to nobody and is as good as taken, and so is a second copy
   * of one that the order has already.
   */
  private async tokensTaken(order: NewOrder): Promise<{ itemId: string; serial: number }[]> {
    const taken: { itemId: string; serial: number }[] = [];
    for (const { itemId, serials } of order.lines) {
      const [item] = await select(this.dataSource, 'SELECT issued FROM sale_items WHERE id = ?', [itemId]);
      const issued = item ? integer(item, 'issued') : 0;
      const held = await select(this.dataSource, 'SELECT serial FROM held_tokens WHERE sale_item_id = ? AND serial IN (?)', [itemId, serials]);
      const inOtherHands = new Set(held.map((row) => integer(row, 'serial')));
      const isTaken = (serial: number, index: number): boolean => serial > issued || inOtherHands.has(serial) || serials.indexOf(serial) < index;
      taken.push(...serials.filter(isTaken).map((serial) => ({ itemId, serial })));
    }
    return taken;
  }

  /** By uq_orders_unpaid. */
  private async hasUnpaid(order: NewOrder): Promise<boolean> {
    const [line] = order.lines;
    const rows = await select(
      this.dataSource,
      'SELECT id FROM orders WHERE sale_id = (SELECT sale_id FROM sale_items WHERE id = ?) AND unpaid_user_id = ?',
      [line?.itemId ?? null, order.userId],
    );
    return rows.length > 0;
  }

  private async exceedsLimit(order: NewOrder): Promise<boolean> {
    const slots = await takenSlots(this.dataSource, [order]);
    return order.lines.some((line) => (slots.get(slotKey(line.itemId, order.userId))?.size ?? 0) + line.quantity > line.limitPerUser);
  }

  private async exceedsStock(order: NewOrder): Promise<boolean> {
    for (const { itemId, quantity } of order.lines) {
      const short = await select(this.dataSource, 'SELECT id FROM sale_items WHERE id = ? AND sold + ? > stock', [itemId, quantity]);
      if (short.length > 0) return true;
    }
    return false;
  }
}

function readExisting(row: Row): ExistingOrder {
  return {
    orderId: text(row, 'id'),
    amountMinor: integer(row, 'amount_minor'),
    currency: text(row, 'currency'),
    payBeforeMs: date(row, 'pay_before').getTime(),
  };
}

async function writeBatch(manager: EntityManager, batch: OrderBatch): Promise<void> {
  const [sale] = await select(manager, 'SELECT epoch FROM sales WHERE id = ? LOCK IN SHARE MODE', [batch.saleId]);
  if (!sale || text(sale, 'epoch') !== batch.epoch) throw new Stale();
  const held = assignSlots(batch.orders, await takenSlots(manager, batch.orders.flatMap(withRoom)));
  await insertOrders(manager, batch);
  await insertLines(manager, batch.orders);
  await insertHeld(manager, held);
  await countSold(manager, batch.orders);
  await recordBeginnings(manager, batch);
}

async function insertOrders(executor: Executor, { saleId, shard, orders }: OrderBatch): Promise<void> {
  const rows = orders.flatMap((o) => [o.id, saleId, shard, o.userId, o.ticketId, 'awaiting_payment', o.amountMinor, o.currency, o.joinedAt, o.createdAt, o.payBefore]);
  await execute(
    executor,
    `INSERT INTO orders (id, sale_id, shard, user_id, ticket_id, status, amount_minor, currency, joined_at, created_at, pay_before)
     VALUES ${placeholders(orders.length, 11)}`,
    rows,
  );
}

async function insertLines(executor: Executor, orders: NewOrder[]): Promise<void> {
  const lines = orders.flatMap((o) => o.lines.map((l) => [o.id, l.itemId, l.goodsId, l.title, l.quantity, l.unitPriceMinor]));
  await execute(
    executor,
    `INSERT INTO order_lines (order_id, sale_item_id, goods_id, title, quantity, unit_price_minor) VALUES ${placeholders(lines.length, 6)}`,
    lines.flat(),
  );
}

interface HeldToken {
  itemId: string;
  serial: number;
  orderId: string;
  userId: string;
  slot: number;
}

/** In the order of the primary key, so that two batches never wait for each other crosswise; in statements well below the packet limit. */
async function insertHeld(executor: Executor, held: HeldToken[]): Promise<void> {
  held.sort((a, b) => Number(a.itemId) - Number(b.itemId) || a.serial - b.serial);
  for (let from = 0; from < held.length; from += ROWS_PER_STATEMENT) {
    const rows = held.slice(from, from + ROWS_PER_STATEMENT);
    await execute(
      executor,
      `INSERT INTO held_tokens (sale_item_id, serial, order_id, user_id, user_slot) VALUES ${placeholders(rows.length, 5)}`,
      rows.flatMap((t) => [t.itemId, t.serial, t.orderId, t.userId, t.slot]),
    );
  }
}

/** A conditional update: no row matched means not enough stock, whatever Redis said. */
async function countSold(executor: Executor, orders: NewOrder[]): Promise<void> {
  const units = new Map<string, number>();
  for (const line of orders.flatMap((order) => order.lines)) units.set(line.itemId, (units.get(line.itemId) ?? 0) + line.quantity);
  for (const [itemId, n] of [...units].sort(([a], [b]) => Number(a) - Number(b))) {
    const matched = await execute(executor, 'UPDATE sale_items SET sold = sold + ? WHERE id = ? AND sold + ? <= stock', [n, itemId, n]);
    if (matched !== 1) throw new Refused(`item ${itemId} has no ${n} units left`);
  }
}

/** The first line of each order's history. There is nothing to relay: the drain tells the ticket itself. */
async function recordBeginnings(executor: Executor, { saleId, orders }: OrderBatch): Promise<void> {
  await execute(
    executor,
    `INSERT INTO order_events (order_id, sale_id, to_status, cause, created_at, relayed_at) VALUES ${placeholders(orders.length, 6)}`,
    orders.flatMap((o) => [o.id, saleId, 'awaiting_payment', 'drain', o.createdAt, o.createdAt]),
  );
}

/**
 * The order with those lines for which some slots may be taken and enough free. Where a line takes them all, nobody has to look: any
 * that is taken is refused by uq_held_tokens_slot.
 */
function withRoom(order: NewOrder): NewOrder[] {
  const lines = order.lines.filter((line) => line.quantity < line.limitPerUser);
  return lines.length > 0 ? [{ ...order, lines }] : [];
}

const slotKey = (itemId: string, userId: string): string => `${itemId}:${userId}`;

/** Which of their units (slots 1 to the limit) the shoppers of these orders hold already, by uq_held_tokens_slot. */
async function takenSlots(executor: Executor, orders: NewOrder[]): Promise<Map<string, Set<number>>> {
  const usersOf = new Map<string, string[]>();
  for (const order of orders) {
    for (const { itemId } of order.lines) {
      const users = usersOf.get(itemId);
      if (users) users.push(order.userId);
      else usersOf.set(itemId, [order.userId]);
    }
  }
  const taken = new Map<string, Set<number>>();
  for (const [itemId, users] of usersOf) {
    const rows = await select(executor, 'SELECT user_id, user_slot FROM held_tokens WHERE sale_item_id = ? AND user_id IN (?)', [itemId, users]);
    for (const row of rows) {
      const key = slotKey(itemId, text(row, 'user_id'));
      taken.set(key, (taken.get(key) ?? new Set()).add(integer(row, 'user_slot')));
    }
  }
  return taken;
}

/**
 * Gives each unit the lowest free slot of its shopper. The unique key on item, shopper and slot is what holds the limit when two
 * transactions count at the same time.
 */
function assignSlots(orders: NewOrder[], taken: Map<string, Set<number>>): HeldToken[] {
  const held: HeldToken[] = [];
  for (const order of orders) {
    for (const line of order.lines) {
      const slots = taken.get(slotKey(line.itemId, order.userId)) ?? new Set();
      taken.set(slotKey(line.itemId, order.userId), slots);
      let slot = 1;
      for (const serial of line.serials) {
        while (slots.has(slot)) slot += 1;
        if (slot > line.limitPerUser) throw new Refused(`limit of item ${line.itemId} reached`);
        slots.add(slot);
        held.push({ itemId: line.itemId, serial, orderId: order.id, userId: order.userId, slot });
      }
    }
  }
  return held;
}
