import Stripe from 'stripe';

const isInvalid = (error: unknown): error is Stripe.errors.StripeInvalidRequestError => error instanceof Stripe.errors.StripeInvalidRequestError;

/** Stripe will never take this amount or currency: too small, say, or not among those it knows. No intent has come to be. */
export const isAmountRefused = (error: unknown): boolean => isInvalid(error) && (error.param === 'amount' || error.param === 'currency');

/** There is nothing to cancel: the intent has succeeded or was cancelled before, or there is none. */
export function isOver(error: unknown): boolean {
  if (!isInvalid(error)) return false;
  if (error.code === 'resource_missing') return true;
  const status = error.code === 'payment_intent_unexpected_state' ? error.payment_intent?.status : undefined;
  return status === 'succeeded' || status === 'canceled';
}

/** The money has gone back already, by whichever way. */
export const isRefundedAlready = (error: unknown): boolean => isInvalid(error) && error.code === 'charge_already_refunded';
