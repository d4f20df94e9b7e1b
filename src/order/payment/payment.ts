import { integer, nullable, text, type Row } from '../../infra/database/index.js';

/**
 * `pending`: started, no word yet; `succeeded`: it paid its order; `failed`: the provider gave up; `cancelled`: the order closed first;
 * `refund_due`: the money must go back, because the order can't take it (closed and its units gone, or paid already), the amount is wrong, or an
 * operator refunds the order; `refunded`: it has gone back; `refund_failed`: the provider could not send it back, and a person has to see to it.
 */
export const PAYMENT_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled', 'refund_due', 'refunded', 'refund_failed'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** One attempt to pay an order. Money is kept per payment; the order's status follows from it. */
export interface Payment {
  id: string;
  orderId: string;
  provider: string;
  /** what the provider calls it */
  providerRef: string | null;
  status: PaymentStatus;
  amountMinor: number;
  currency: string;
}

/** The columns `toPayment` reads. */
export const PAYMENT_COLUMNS = 'id, order_id, provider, provider_ref, status, amount_minor, currency';

/** Reads one row of `payments`. */
export function toPayment(row: Row): Payment {
  return {
    id: text(row, 'id'),
    orderId: text(row, 'order_id'),
    provider: text(row, 'provider'),
    providerRef: nullable(text, row, 'provider_ref'),
    status: paymentStatus(text(row, 'status')),
    amountMinor: integer(row, 'amount_minor'),
    currency: text(row, 'currency'),
  };
}

function paymentStatus(word: string): PaymentStatus {
  const known = PAYMENT_STATUSES.find((status) => status === word);
  if (known === undefined) throw new TypeError(`"${word}" is no status of a payment`);
  return known;
}
