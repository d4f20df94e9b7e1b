import type { IncomingHttpHeaders } from 'node:http';
import type { Payment } from './payment.js';

/** What a provider needs to know of a payment. */
export type PaymentOrder = Pick<Payment, 'id' | 'orderId' | 'providerRef' | 'amountMinor' | 'currency'>;

/** An amount in minor units, as ISO 4217 counts them. */
export type Money = Pick<Payment, 'amountMinor' | 'currency'>;

/** How a payment stands after it was started; mostly `pending`, with the decision following by webhook. */
export interface PaymentStart {
  status: 'pending' | 'succeeded' | 'failed';
  /** what the provider calls the payment */
  providerRef?: string;
  /** where the shopper goes on, if the provider has a page of its own */
  redirectUrl?: string;
  /** what the shopper's page needs to pay by itself. A secret: it is handed on, and neither logged nor kept */
  clientSecret?: string;
  /** what has come in, where the payment succeeded and the provider knows */
  received?: Money;
}

/** A refund that came to nothing, or whose money came back to us. */
export interface RefundFailure {
  /** what the provider calls the refund; its failure is booked once, however often and by whichever way it is told */
  refundRef: string;
  /** in the provider's words, at most 64 ASCII characters */
  reason: string;
  /** Whether another refund of the same payment has no prospect either: the account it would go to is closed, say. */
  isFinal: boolean;
}

/** What has become of a payment; of a refund, by what the provider calls it, where it says so. */
export type PaymentResult = { result: 'succeeded' | 'failed' } | { result: 'refunded'; refundRef?: string } | { result: 'refund_failed'; failure: RefundFailure };

/** What a provider says has become of a payment, which it names by our id, by its own, or both. */
export type PaymentEvent = Money & {
  /** what the provider calls the event; the same one is booked once */
  eventId: string;
} & PaymentResult &
  ({ paymentId: string; providerRef?: string } | { paymentId?: undefined; providerRef: string });

/** What became of the call for a refund. `pending`: under way; its end comes by webhook, or with a later call. */
export type RefundAnswer = { status: 'refunded' } | { status: 'pending' } | { status: 'failed'; failure: RefundFailure };

/** A webhook call once its signature and form were checked. `ignored`: good, but nothing that this service books. */
export type WebhookReading = { outcome: 'event'; event: PaymentEvent } | { outcome: 'ignored'; kind: string } | { outcome: 'rejected'; reason: string };

/** A way to pay. Shops add their own beside the sandbox (see `payment.providers.ts`). */
export interface PaymentProvider {
  /** at most 24 ASCII characters; it stands in the webhook's address and in `payments.provider` */
  readonly name: string;

  /** Why the provider can't take this amount, as the shopper is told; null if it can. Without this method it takes any. */
  refusal?(money: Money): string | null;

  /**
   * Starts the payment, or takes up one that was started before: repeated calls with the same id are one payment.
   * @throws when the provider can't be reached; the payment then stays pending, and the shopper may try again
   */
  start(payment: PaymentOrder): Promise<PaymentStart>;

  /**
   * Asks the provider to drop a payment whose order has closed; repeated calls are safe. When it comes too late (the payment has
   * succeeded) that is no error: the success is told in its own way.
   * @throws when the provider can't be reached, or can't say yet; it is told again later
   */
  cancel(payment: PaymentOrder): Promise<void>;

  /**
   * Sends the money of a payment that succeeded back, all of it. Repeated calls for the same payment and number are one refund.
   * @param number which refund of the payment this is: 1, and one more for each that is known to have failed
   * @throws when the provider can't be reached or refuses; it is tried again later
   */
  refund(payment: Payment, number: number): Promise<RefundAnswer>;

  /** Checks the signature over the raw body, and reads the event. Never throws on what a stranger sends. */
  verifyWebhook(headers: IncomingHttpHeaders, rawBody: Buffer): WebhookReading;
}

/** Injection token of the list of all providers. */
export const PAYMENT_PROVIDER_LIST = Symbol('PAYMENT_PROVIDER_LIST');
