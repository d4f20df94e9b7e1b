import { isoOf } from '../format';

export const ORDER_STATUSES = ['awaiting_payment', 'paid', 'expired', 'cancelled', 'refunded'] as const;
export const OPEN_REFUNDS = ['due', 'failed'] as const;

/** What orders are looked for by, as it stands in the address of the page. */
export interface OrderFilter {
  status?: string | undefined;
  refund?: string | undefined;
  username?: string | undefined;
  saleId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export const filterOf = ({ status, refund, username, saleId, from, to }: Record<string, string>): OrderFilter => ({ status, refund, username, saleId, from, to });

/** The same as the API takes it. */
export function queryOf({ status, refund, username, saleId, from, to }: OrderFilter, cursor: string | undefined, ofSale: string | undefined) {
  const known = { status: ORDER_STATUSES.find((name) => name === status), refund: OPEN_REFUNDS.find((name) => name === refund) };
  const sale = ofSale ?? saleId;
  return {
    ...(known.status && { status: known.status }),
    ...(known.refund && { refund: known.refund }),
    ...(username && { username }),
    ...(sale && { saleId: sale }),
    ...(from && { from: isoOf(from) }),
    ...(to && { to: isoOf(to) }),
    ...(cursor && { cursor }),
  };
}
