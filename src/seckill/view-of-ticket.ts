import type { TicketRecord } from '../goods/index.js';
import type { TicketView } from './dto/ticket.view.js';
import { etaSeconds, pollAfterMs } from './pace.js';

/** How often to look whether an order was paid or ran out. */
const AWAITING_POLL_MS = 2000;
/** Units come back at the pace of other shoppers' deadlines. */
const STANDBY_POLL_MS = 3000;

/** Where the line of a shard stands. */
export interface LineStanding {
  /** Sequence number of the last ticket that was claimed. */
  served: number;
  ratePerSecond: number;
  /** Place in the standby line, from 1, of a ticket that stands by. */
  standbyPosition?: number;
}

/** Place in the queue, from 1. */
export const positionOf = ({ seq }: Pick<TicketRecord, 'seq'>, { served }: Pick<LineStanding, 'served'>): number => Math.max(1, seq - served);

/** The ticket as its shopper sees it, by polling or in a stream. */
export function viewOf(ticket: TicketRecord, { served, ratePerSecond, standbyPosition = 1 }: LineStanding): TicketView {
  const { ticketId, status, reason, orderId, amountMinor, currency, payBeforeMs } = ticket;
  const view: TicketView = { ticketId, status };
  if (reason !== undefined) view.reason = reason;
  if (orderId !== undefined) view.orderId = orderId;
  if (amountMinor !== undefined) view.amountMinor = amountMinor;
  if (currency !== undefined) view.currency = currency;
  if (payBeforeMs !== undefined) view.payBefore = new Date(payBeforeMs).toISOString();
  if (status === 'awaiting_payment') view.pollAfterMs = AWAITING_POLL_MS;
  if (status === 'standby') {
    view.position = standbyPosition;
    view.pollAfterMs = STANDBY_POLL_MS;
  }
  if (status === 'queued' || status === 'reserved') {
    view.position = positionOf(ticket, { served });
    view.etaSeconds = etaSeconds(view.position, ratePerSecond);
    view.pollAfterMs = pollAfterMs(view.position, ratePerSecond);
  }
  return view;
}
