import type { TicketRecord } from './ticket.js';

/** A waiting ticket as it stood in the queue. */
export interface QueueEntry {
  seq: number;
  userId: string;
}

/** What a frozen shard still knows: its tickets, and who was waiting (claimed tickets first), in order. */
export interface FrozenShard {
  tickets: Map<string, TicketRecord>;
  line: QueueEntry[];
}

/** What MySQL says of a shard's shoppers. */
export interface KnownOrders {
  /** Every shopper's newest order, as a ticket. */
  newest: ReadonlyMap<string, TicketRecord>;
  /** Tickets that became orders, whatever became of these. */
  ticketIds: ReadonlySet<string>;
}

/** The tickets of a new build, and those of them that wait, in order. */
export interface CarriedTickets {
  tickets: Map<string, TicketRecord>;
  waiting: [userId: string, ticket: TicketRecord][];
}

/**
 * Takes over from an outdated state what only Redis knew: places in line, and how tickets without an order ended. Where MySQL knows an
 * order, MySQL is right. The line keeps its order and is numbered anew from 1.
 */
export function carryOver(frozen: FrozenShard, known: KnownOrders): CarriedTickets {
  const waiting: [string, TicketRecord][] = [];
  const placed = new Set<string>();
  for (const { userId, seq } of frozen.line) {
    const ticket = frozen.tickets.get(userId);
    if (ticket?.seq !== seq || placed.has(userId) || !isStillWaiting(ticket, known.newest.get(userId), known.ticketIds)) continue;
    placed.add(userId);
    waiting.push([userId, { ...ticket, seq: waiting.length + 1 }]);
  }
  const ended = [...frozen.tickets].filter(([userId, ticket]) => !isLive(ticket) && !known.newest.has(userId));
  return { tickets: new Map([...ended, ...known.newest, ...waiting]), waiting };
}

const isLive = ({ status }: TicketRecord): boolean => status === 'queued' || status === 'reserved' || status === 'awaiting_payment';

function isStillWaiting(ticket: TicketRecord, newestOrder: TicketRecord | undefined, ordered: ReadonlySet<string>): boolean {
  const waits = ticket.status === 'queued' || ticket.status === 'reserved';
  return waits && ticket.items !== undefined && !ordered.has(ticket.ticketId) && newestOrder?.status !== 'awaiting_payment';
}
