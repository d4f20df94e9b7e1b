import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import type { Intent, Refund, StripeObject } from './stripe-books.js';

/** Where the service hears Stripe. */
export const STRIPE_WEBHOOK = '/payments/stripe/webhook';

/** An event as Stripe sends it. */
export function stripeEvent(type: string, object: StripeObject, id = `evt_${randomUUID()}`): string {
  return JSON.stringify({ id, object: 'event', api_version: '2026-01-01', created: Math.floor(Date.now() / 1000), type, data: { object } });
}

/** The charge of an intent, of which so much went back. */
export const chargeOf = ({ id, amount_received, currency }: Intent, amountRefunded: number): StripeObject => ({
  id: `ch_${id}`, object: 'charge', payment_intent: id, amount: amount_received, amount_refunded: amountRefunded, refunded: amountRefunded === amount_received, currency, metadata: {},
});

/** Body and headers of an event, signed by the library's own means. */
export function signedEvent(body: string, secret: string, ageSeconds = 0): [body: string, headers: Record<string, string>] {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const signature = new Stripe('sk_test_none').webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  return [body, { 'stripe-signature': signature }];
}

export const intentSucceeded = (intent: Intent, id?: string): string => stripeEvent('payment_intent.succeeded', intent, id);
export const refundFailed = (refund: Refund, type: 'refund.failed' | 'refund.updated' | 'charge.refund.updated' = 'refund.failed'): string => stripeEvent(type, refund);
export const refundUpdated = (refund: Refund, id?: string): string => stripeEvent('refund.updated', refund, id);
