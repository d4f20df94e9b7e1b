import type { TicketStatus } from '../state/ticket-status';
import type { OutcomeName } from './texts';

/** Which words tell how a ticket ended; null while it has not. */
export function outcomeOfTicket(status: TicketStatus, reason: string | undefined): OutcomeName | null {
  switch (status) {
    case 'queued':
    case 'reserved':
    case 'standby':
    case 'awaiting_payment':
      return null;
    case 'rejected':
      return reason === 'UNPAID_ORDER' ? 'rejected_unpaid' : reason === 'LIMIT_REACHED' ? 'rejected_limit' : 'rejected';
    case 'cancelled':
      return reason === 'REFUNDED' ? 'refunded' : 'cancelled';
    case 'paid':
    case 'sold_out':
    case 'expired':
    case 'left':
      return status;
  }
}
