/** Statuses of a ticket. The last six are terminal. */
export const TICKET_STATUSES = [
  'queued', 'reserved', 'standby', 'awaiting_payment',
  'paid', 'sold_out', 'rejected', 'expired', 'cancelled', 'left',
] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

/**
 * A ticket as it stands in a shard's `status` hash (JSON), under the user's id. The scripts write it while the ticket is in line;
 * a build of the state writes those that became orders.
 */
export interface TicketRecord {
  ticketId: string;
  status: TicketStatus;
  /** Place in the order of joins of this shard, from 1; 0 when rebuilt from an order. */
  seq: number;
  /** Redis time of the join, epoch milliseconds. */
  joinedAtMs?: number;
  /** Item ids with quantities, while the ticket is in line. */
  items?: [itemId: string, quantity: number][];
  /** It stood by before the state was built anew: after the sale's end it is served no more, unlike those who were in the queue. */
  stoodBy?: boolean;
  reason?: string;
  orderId?: string;
  amountMinor?: number;
  currency?: string;
  payBeforeMs?: number;
}

/** In line: no order yet. */
export const isWaiting = ({ status }: { status: string }): boolean => status === 'queued' || status === 'reserved' || status === 'standby';

/** Counts as the shopper's one live ticket. */
export const isLive = (ticket: { status: string }): boolean => isWaiting(ticket) || ticket.status === 'awaiting_payment';

/** What a ticket shows of its order. */
export interface TicketOutcome {
  status: 'awaiting_payment' | 'paid' | 'expired' | 'cancelled';
  reason?: string;
}

const OUTCOMES: Readonly<Record<string, TicketOutcome>> = {
  awaiting_payment: { status: 'awaiting_payment' },
  paid: { status: 'paid' },
  expired: { status: 'expired', reason: 'PAYMENT_TIMEOUT' },
  cancelled: { status: 'cancelled', reason: 'CANCELLED_BY_SHOPPER' },
  refunded: { status: 'cancelled', reason: 'REFUNDED' },
};

/** An order's status as its ticket shows it: a refunded order is a cancelled ticket with a reason. @throws RangeError for an unknown status */
export function ticketOfOrder(orderStatus: string): TicketOutcome {
  const outcome = OUTCOMES[orderStatus];
  if (!outcome) throw new RangeError(`an order has no status ${orderStatus}`);
  return outcome;
}
