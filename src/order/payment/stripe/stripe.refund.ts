import type Stripe from 'stripe';
import type { RefundAnswer, RefundFailure } from '../payment-provider.js';

/** Reasons (`failure_reason`) for which another refund would fail like this one. */
const FINAL = ['lost_or_stolen_card', 'expired_or_canceled_card', 'charge_for_pending_refund_disputed', 'merchant_request'];
const SHORT_TEXT = /^[\x21-\x7e]{1,64}$/;

type Failing = Pick<Stripe.Refund, 'id' | 'status' | 'failure_reason'>;

/** Its money is in the account's balance again. One that was canceled had waited for the shopper to do something. */
export const isFailed = ({ status }: Failing): boolean => status === 'failed' || status === 'canceled';

/** Why a refund has failed, and whether there is any point in another. */
export function refundFailure({ id, status, failure_reason }: Failing): RefundFailure {
  const reason = failure_reason ?? status ?? 'unknown';
  return { refundRef: id, reason: SHORT_TEXT.test(reason) ? reason : 'unknown', isFinal: status === 'canceled' || FINAL.includes(reason) };
}

/** How a refund stands. @throws Error for a status that Stripe has come up with since */
export function refundAnswer(refund: Stripe.Refund): RefundAnswer {
  if (refund.status === 'succeeded') return { status: 'refunded' };
  if (refund.status === 'pending' || refund.status === 'requires_action') return { status: 'pending' };
  if (isFailed(refund)) return { status: 'failed', failure: refundFailure(refund) };
  throw new Error(`refund ${refund.id} is ${refund.status ?? 'unknown'}`);
}

/** How it stands with money of which Stripe says that it has gone back already: what failed does not count. @throws Error where nothing else is there */
export function refundedElsewhere(refunds: Stripe.Refund[]): RefundAnswer {
  const standing = refunds.filter((refund) => !isFailed(refund));
  if (standing.length === 0) throw new Error('Stripe says that it is refunded, and shows no refund');
  return { status: standing.every(({ status }) => status === 'succeeded') ? 'refunded' : 'pending' };
}
