import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { reasonOf } from '../infra/errors.js';
import { Settings } from '../config/index.js';
import { ticketOfOrder } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { date, execute, integer, inTransaction, nullable, select, text, type Row } from '../infra/database/index.js';
import { DrainSignal, SeckillScripts } from '../seckill/index.js';

const BATCH = 500;
const LONGEST_WAIT_MS = 2000;

/**
 * Which rows of the outbox to relay. Those of certain orders are waited for where somebody else is relaying them, because the caller
 * promises that they are through; a sweep passes over them.
 */
interface Scope {
  /** Ending of the index to read by: another one would make this wait for rows of other orders that it only passes on its way. */
  index: 'order' | 'pending';
  where: string;
  parameters: unknown[];
  lock: 'FOR UPDATE' | 'FOR UPDATE SKIP LOCKED';
}
const ANY: Scope = { index: 'pending', where: '', parameters: [], lock: 'FOR UPDATE SKIP LOCKED' };

/**
 * Carries from MySQL to Redis what happened to orders after they were placed: freed tokens (token_returns) go back to stock, and the ticket
 * shows how its order ended (order_events).
 *
 * A row is locked while it is relayed and marked in the same transaction; if the mark is lost, the row is relayed again, and the script
 * knows it. The transaction holds the sale's row shared and passes the epoch on, so a build of the state lies wholly before or after it.
 */
@Injectable()
export class OrderRelay {
  private readonly logger = new Logger('Relay');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly scripts: SeckillScripts,
    private readonly signal: DrainSignal,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
  ) {}

  /**
   * Relays what is pending for these orders, now. Never throws: what fails stays in the outbox, and the sweep comes back to it. Never waits
   * long either: the shopper's order is closed, and while Redis is away that is all there is to say.
   */
  async relayOrders(orderIds: string[]): Promise<void> {
    if (orderIds.length > 0) await Promise.race([this.relayAll(orderIds), delay(LONGEST_WAIT_MS, undefined, { ref: false })]);
  }

  private async relayAll(orderIds: string[]): Promise<void> {
    try {
      const sales = await select(this.dataSource, 'SELECT DISTINCT sale_id FROM orders WHERE id IN (?)', [orderIds]);
      const scope: Scope = { index: 'order', where: 'AND order_id IN (?)', parameters: [orderIds], lock: 'FOR UPDATE' };
      for (const sale of sales) await this.relaySale(text(sale, 'sale_id'), scope);
    } catch (error) {
      this.logger.warn({ orders: orderIds.length, reason: reasonOf(error), msg: 'relay put off' });
    }
  }

  /**
   * Relays everything that is pending, whatever sale it belongs to; answers the number of rows.
   * Finds the sales by ix_token_returns_pending and ix_order_events_pending.
   */
  async relayPending(): Promise<number> {
    const sales = await select(
      this.dataSource,
      `SELECT sale_id FROM token_returns WHERE relayed_at IS NULL
       UNION SELECT sale_id FROM order_events WHERE relayed_at IS NULL`,
    );
    let relayed = 0;
    for (const sale of sales) {
      try {
        relayed += await this.relaySale(text(sale, 'sale_id'), ANY);
      } catch (error) {
        // A sale whose row can't be had just now does not hold up the others.
        this.logger.warn({ saleId: text(sale, 'sale_id'), reason: reasonOf(error), msg: 'relay put off' });
      }
    }
    return relayed;
  }

  /** Relays the pending rows of one sale, batch by batch: tokens first, so that a shopper whose ticket has ended can join again at once. */
  async relaySale(saleId: string, scope: Scope = ANY): Promise<number> {
    let relayed = 0;
    for (const table of ['token_returns', 'order_events'] as const) {
      for (;;) {
        const rows = await inTransaction(this.dataSource, (manager) => this.relayBatch(manager, table, saleId, scope));
        relayed += rows;
        if (rows < BATCH) break;
      }
    }
    return relayed;
  }

  private async relayBatch(manager: EntityManager, table: 'token_returns' | 'order_events', saleId: string, scope: Scope): Promise<number> {
    const [sale] = await select(manager, 'SELECT epoch, ends_at FROM sales WHERE id = ? LOCK IN SHARE MODE', [saleId]);
    const rows = await select(
      manager,
      `SELECT * FROM ${table} FORCE INDEX (ix_${table}_${scope.index})
        WHERE relayed_at IS NULL AND sale_id = ? ${scope.where} ORDER BY id LIMIT ${BATCH} ${scope.lock}`,
      [saleId, ...scope.parameters],
    );
    if (!sale || rows.length === 0) return 0;
    const done = this.isPast(sale) ? rows : await this.carry(manager, table, text(sale, 'epoch'), rows);
    if (done.length === 0) return 0;
    const ids = done.map((row) => text(row, 'id'));
    await execute(manager, `UPDATE ${table} SET relayed_at = ? WHERE id IN (?)`, [new Date(this.clock.nowMs()), ids]);
    return done.length;
  }

  /** After the retention nothing of the sale is left in Redis that could learn of it. */
  private isPast(sale: Row): boolean {
    return date(sale, 'ends_at').getTime() + this.settings.RETENTION_SECONDS * 1000 < this.clock.nowMs();
  }

  /** Runs the rows' scripts and answers the rows that are done; those that found no state of this epoch stay pending. */
  private async carry(manager: EntityManager, table: 'token_returns' | 'order_events', epoch: string, rows: Row[]): Promise<Row[]> {
    const outcomes = table === 'token_returns' ? await this.releaseTokens(epoch, rows) : await this.finishTickets(manager, epoch, rows);
    return rows.filter((_, index) => outcomes[index] !== 'stale');
  }

  private releaseTokens(epoch: string, rows: Row[]): Promise<string[]> {
    return Promise.all(
      rows.map(async (row) => {
        const token = { returnId: text(row, 'id'), itemId: text(row, 'sale_item_id'), serial: integer(row, 'serial'), userId: nullable(text, row, 'user_id') };
        const { outcome, wake } = await this.scripts.release(shardIn(row), { epoch, ...token });
        if (wake) this.signal.wake(shardIn(row));
        return outcome;
      }),
    );
  }

  /**
   * Tells the tickets what their orders are now, not what an event says: another relayer may hold the older event of an order and be the
   * slower one. Nobody moves an order whose row is held shared, so what is told last is what is so.
   */
  private async finishTickets(manager: EntityManager, epoch: string, rows: Row[]): Promise<string[]> {
    const orders = await select(
      manager,
      'SELECT id, sale_id, shard, user_id, ticket_id, amount_minor, currency, status FROM orders WHERE id IN (?) ORDER BY id LOCK IN SHARE MODE',
      [rows.map((row) => text(row, 'order_id'))],
    );
    const told = await Promise.all(orders.map(async (order): Promise<[string, string]> => [text(order, 'id'), await this.finishTicket(epoch, order)]));
    const outcomes = new Map(told);
    return rows.map((row) => outcomes.get(text(row, 'order_id')) ?? 'nothing to tell');
  }

  private async finishTicket(epoch: string, order: Row): Promise<string> {
    const { status, reason } = ticketOfOrder(text(order, 'status'));
    if (status === 'awaiting_payment') return 'nothing to tell';
    const money = { amountMinor: integer(order, 'amount_minor'), currency: text(order, 'currency') };
    const ticket = { userId: text(order, 'user_id'), ticketId: text(order, 'ticket_id'), orderId: text(order, 'id'), ...money };
    return this.scripts.finish(shardIn(order), { epoch, ...ticket, status, reason: reason ?? null });
  }
}

const shardIn = (row: Row): { saleId: string; shard: number } => ({ saleId: text(row, 'sale_id'), shard: integer(row, 'shard') });
