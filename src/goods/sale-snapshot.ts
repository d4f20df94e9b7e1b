import { integer, nullable, date, select, text, type Executor } from '../infra/database/index.js';
import { shardOf } from './sale-keys.js';
import type { Sale } from './entities/sale.entity.js';
import { ticketOfOrder, type TicketRecord } from './ticket.js';

const PAGE = 20_000;

/** What MySQL knows of a sale's tokens and orders; the Redis state is built from it and nothing else. */
export interface SaleSnapshot {
  /** Per item, 1 at each serial that is not free: held by an order, withdrawn, or on its way back through the outbox. */
  taken: Map<string, Uint8Array>;
  /** Units a shopper has in live orders, or that are on their way back: `<userId>:<itemId>` → units. */
  units: Map<string, number>;
  /** Every shopper's newest order, as a ticket. */
  tickets: Map<string, TicketRecord>;
  /** Tickets that became orders. */
  orderedTickets: Set<string>;
  returnsBase: number;
}

/**
 * Reads what a build needs. Call it while holding the sale's row exclusively: whatever moves tokens in MySQL holds that row shared.
 */
export async function readSnapshot(executor: Executor, sale: Sale): Promise<SaleSnapshot> {
  const snapshot: SaleSnapshot = { taken: new Map(), units: new Map(), tickets: new Map(), orderedTickets: new Set(), returnsBase: 1 };
  for (const item of sale.items) {
    const taken = new Uint8Array(item.issued + 1);
    snapshot.taken.set(item.id, taken);
    await readHeld(executor, item.id, taken, snapshot.units);
  }
  await readPendingReturns(executor, sale.id, snapshot);
  await readTickets(executor, sale.id, snapshot);
  return snapshot;
}

/** Pages through held_tokens by its primary key. */
async function readHeld(executor: Executor, itemId: string, taken: Uint8Array, units: Map<string, number>): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await select(
      executor,
      'SELECT serial, user_id FROM held_tokens WHERE sale_item_id = ? AND serial > ? ORDER BY serial LIMIT ?',
      [itemId, after, PAGE],
    );
    for (const row of rows) {
      after = integer(row, 'serial');
      taken[after] = 1;
      countUnit(units, nullable(text, row, 'user_id'), itemId);
    }
    if (rows.length < PAGE) return;
  }
}

/** Uses ix_token_returns_pending. Rows still to be relayed stay with the relay: their tokens are not free yet, their units still count. */
async function readPendingReturns(executor: Executor, saleId: string, snapshot: SaleSnapshot): Promise<void> {
  const rows = await select(
    executor,
    'SELECT id, sale_item_id, serial, user_id FROM token_returns WHERE relayed_at IS NULL AND sale_id = ? ORDER BY id',
    [saleId],
  );
  for (const row of rows) {
    const itemId = text(row, 'sale_item_id');
    const taken = snapshot.taken.get(itemId);
    if (taken) taken[integer(row, 'serial')] = 1;
    countUnit(snapshot.units, nullable(text, row, 'user_id'), itemId);
  }
  const [newest] = await select(executor, 'SELECT COALESCE(MAX(id), 0) AS id FROM token_returns');
  const [oldest] = rows;
  snapshot.returnsBase = oldest ? integer(oldest, 'id') : newest ? integer(newest, 'id') + 1 : 1;
}

function countUnit(units: Map<string, number>, userId: string | null, itemId: string): void {
  if (userId === null) return;
  const key = `${userId}:${itemId}`;
  units.set(key, (units.get(key) ?? 0) + 1);
}

/** Pages through ix_orders_sale; ids grow with time, so a shopper's newest order is read last and stays. */
async function readTickets(executor: Executor, saleId: string, { tickets, orderedTickets }: SaleSnapshot): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await select(
      executor,
      `SELECT id, user_id, ticket_id, status, amount_minor, currency, pay_before FROM orders
        WHERE sale_id = ? AND id > ? ORDER BY id LIMIT ?`,
      [saleId, after, PAGE],
    );
    for (const row of rows) {
      after = text(row, 'id');
      orderedTickets.add(text(row, 'ticket_id'));
      tickets.set(text(row, 'user_id'), {
        ticketId: text(row, 'ticket_id'),
        seq: 0,
        ...ticketOfOrder(text(row, 'status')),
        orderId: after,
        amountMinor: integer(row, 'amount_minor'),
        currency: text(row, 'currency'),
        payBeforeMs: date(row, 'pay_before').getTime(),
      });
    }
    if (rows.length < PAGE) return;
  }
}

/** The serials of a shard's share that are free, lowest first. */
export function* freeSerials(taken: Uint8Array, shard: number, shards: number): Generator<number> {
  for (let serial = shard + 1; serial < taken.length; serial += shards) {
    if (taken[serial] === 0) yield serial;
  }
}

/** Only the entries whose user lands on the shard. */
export function* onShard<T>(entries: Iterable<[string, T]>, shard: number, shards: number): Generator<[string, T]> {
  for (const entry of entries) {
    const userId = entry[0].split(':', 1)[0] ?? '';
    if (shardOf(userId, shards) === shard) yield entry;
  }
}
