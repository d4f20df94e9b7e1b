import type { JoinedView, TicketView } from './dto/ticket.view.js';

/** When to look again, of a ticket that will change. */
export const ticketHeaders = ({ pollAfterMs }: Pick<TicketView, 'pollAfterMs'>): Record<string, string> =>
  pollAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(pollAfterMs / 1000)) };

/** Where the ticket of a join is, and when to look. */
export const joinedHeaders = (saleId: string, joined: JoinedView): Record<string, string> => ({ location: `/api/sales/${saleId}/ticket`, ...ticketHeaders(joined) });
