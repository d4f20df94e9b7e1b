import { date, execute, integer, nullable, select, text, type Executor } from '../infra/database/index.js';
import { shardOf } from './sale-keys.js';
import type { Sale } from './entities/sale.entity.js';
import { ticketOfOrder, type TicketRecord } from './ticket.js';

const PAGE = 20_000;

/** What MySQL knows of a sale's tokens and orders; the Redis state is built from it and nothing else. */
export interface SaleSnapshot {
  /** Per item, 1 at each serial that is not free: held by an order, or withdrawn. */
  taken: Map<string, Uint8Array>;
  /** Units a shopper has in live orders: `<userId>:<itemId>` → units. */
  units: Map<string, number>;
  /** Every shopper's newest order, as a ticket. */
  tickets: Map<string, TicketRecord>;
  /** Tickets that became orders. */
  orderedTickets: Set<string>;
  returnsBase: number;
}

/**
 * Reads what a build needs, and takes the pending returns into it. Call it while holding the sale's row exclusively: whatever moves tokens in MySQL holds that row shared.
 */
export async function readSnapshot(executor: Executor, sale: Sale, now: Date): Promise<SaleSnapshot> {
  const snapshot: SaleSnapshot = { taken: new Map(), units: new Map(), tickets: new Map(), orderedTickets: new Set(), returnsBase: 1 };
  for (const item of sale.items) {
    const taken = new Uint8Array(item.issued + 1);
    snapshot.taken.set(item.id, taken);
    await readHeld(executor, item.id, taken, snapshot.units);
  }
  snapshot.returnsBase = await absorbReturns(executor, sale.id, now);
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

/**
 * Takes the pending rows of the outbox (by ix_token_returns_pending) into the build: their tokens are free unless they are held again, so the
 * build itself puts them back, and no row that is older than it may do so once more. `release.lua` knows those by `returnsBase`, should the
 * mark made here be lost with the transaction.
 */
async function absorbReturns(executor: Executor, saleId: string, now: Date): Promise<number> {
  await execute(executor, 'UPDATE token_returns SET relayed_at = ? WHERE relayed_at IS NULL AND sale_id = ?', [now, saleId]);
  const [newest] = await select(executor, 'SELECT COALESCE(MAX(id), 0) AS id FROM token_returns');
  return newest ? integer(newest, 'id') + 1 : 1;
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
