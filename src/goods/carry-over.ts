import { isLive, isWaiting, type TicketRecord } from './ticket.js';

/** The tickets that a frozen shard still has, by user. */
export type FrozenTickets = ReadonlyMap<string, TicketRecord>;

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
 * order, MySQL is right. The tickets alone say who waits and where, so a queue that was lost loses nobody a place. The line keeps its order
 * and is numbered anew from 1. Who stood by is in the queue again, before all who joined later: the drain sees whether there are units by now.
 */
export function carryOver(frozen: FrozenTickets, known: KnownOrders): CarriedTickets {
  const waiting = [...frozen]
    .filter(([userId, ticket]) => stillWaits(ticket, known.newest.get(userId), known.ticketIds))
    .sort(([, a], [, b]) => a.seq - b.seq)
    .map(([userId, ticket], index): [string, TicketRecord] => [userId, { ...ticket, ...inLine(ticket), seq: index + 1 }]);
  const ended = [...frozen].filter(([userId, ticket]) => !isLive(ticket) && !known.newest.has(userId));
  return { tickets: new Map([...ended, ...known.newest, ...waiting]), waiting };
}

function inLine({ status }: TicketRecord): Pick<TicketRecord, 'status' | 'stoodBy'> {
  if (status === 'reserved') return { status };
  return status === 'standby' ? { status: 'queued', stoodBy: true } : { status: 'queued' };
}

function stillWaits(ticket: TicketRecord, newestOrder: TicketRecord | undefined, ordered: ReadonlySet<string>): boolean {
  return isWaiting(ticket) && ticket.items !== undefined && !ordered.has(ticket.ticketId) && newestOrder?.status !== 'awaiting_payment';
}
