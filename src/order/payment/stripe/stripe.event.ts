import type Stripe from 'stripe';
import type { PaymentResult, WebhookReading } from '../payment-provider.js';
import { fromStripeAmount } from './stripe.amount.js';
import { isFailed, refundFailure } from './stripe.refund.js';

/** Our payment's id, where the metadata bear one; others may use the same account. */
const OUR_ID = /^[0-9a-f-]{36}$/;

type Said = PaymentResult & { amount: number; currency: string };

/**
 * What a signed event says of our payments. A card that was declined is not the end of a payment: the shopper may try another one on the
 * same intent. Refunds made in Stripe's dashboard bear no metadata of ours, so a refund is known by its intent. That one has failed is told
 * by `refund.failed`, `refund.updated` and, for some ways to pay, `charge.refund.updated`: all of them show the refund.
 */
export function readStripeEvent(event: Stripe.Event): WebhookReading {
  if (event.type === 'payment_intent.succeeded') {
    const intent = event.data.object;
    return ofIntent(event, intent, { result: 'succeeded', amount: intent.amount_received, currency: intent.currency });
  }
  if (event.type === 'payment_intent.canceled') {
    const intent = event.data.object;
    return ofIntent(event, intent, { result: 'failed', amount: intent.amount, currency: intent.currency });
  }
  if (event.type === 'charge.refunded') {
    const { payment_intent, amount, amount_refunded, currency } = event.data.object;
    return amount_refunded === amount ? ofRefund(event, payment_intent, { result: 'refunded', amount, currency }) : ignored(event);
  }
  if (event.type === 'refund.created' || event.type === 'refund.updated' || event.type === 'refund.failed' || event.type === 'charge.refund.updated') {
    const { id, payment_intent, amount, currency, status } = event.data.object;
    if (isFailed(event.data.object)) return ofRefund(event, payment_intent, { result: 'refund_failed', failure: refundFailure(event.data.object), amount, currency });
    return status === 'succeeded' ? ofRefund(event, payment_intent, { result: 'refunded', refundRef: id, amount, currency }) : ignored(event);
  }
  return ignored(event);
}

function ofIntent(event: Stripe.Event, { id, metadata }: Stripe.PaymentIntent, said: Said): WebhookReading {
  const { paymentId } = metadata;
  if (paymentId === undefined || !OUR_ID.test(paymentId)) return ignored(event);
  return booked(event, said, { paymentId, providerRef: id });
}

function ofRefund(event: Stripe.Event, intent: string | Stripe.PaymentIntent | null, said: Said): WebhookReading {
  if (intent === null) return ignored(event);
  return booked(event, said, { providerRef: typeof intent === 'string' ? intent : intent.id });
}

function booked({ id }: Stripe.Event, { amount, currency, ...result }: Said, payment: { paymentId: string; providerRef: string } | { providerRef: string }): WebhookReading {
  const money = fromStripeAmount(amount, currency);
  if (money === null) return { outcome: 'rejected', reason: `${amount} ${currency} is no amount` };
  return { outcome: 'event', event: { eventId: id, ...result, ...money, ...payment } };
}

const ignored = ({ type }: Stripe.Event): WebhookReading => ({ outcome: 'ignored', kind: type });
