import { Logger } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import type Stripe from 'stripe';
import type { Settings } from '../../../config/index.js';
import type { RedisClock } from '../../../infra/clock/index.js';
import { reasonOf } from '../../../infra/errors.js';
import type { Payment } from '../payment.js';
import type { Money, PaymentOrder, PaymentProvider, PaymentStart, RefundAnswer, WebhookReading } from '../payment-provider.js';
import { fromStripeAmount, toStripeAmount } from './stripe.amount.js';
import { stripeClient } from './stripe.client.js';
import { isAmountRefused, isOver, isRefundedAlready } from './stripe.errors.js';
import { readStripeEvent } from './stripe.event.js';
import { refundAnswer, refundedElsewhere } from './stripe.refund.js';

const TOLERANCE_SECONDS = 300;
const IS_TEST_KEY = /^[rs]k_test_/;

/**
 * Payment by Stripe: an intent per payment, which the shopper's page pays with its client secret. Every call that makes something bears an
 * idempotency key of the payment's, so a call whose answer was lost is simply made again.
 */
export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe';
  private readonly logger = new Logger('StripePayment');
  private readonly stripe: Stripe;

  private constructor(
    private readonly settings: Settings,
    private readonly clock: RedisClock,
  ) {
    this.stripe = stripeClient(settings);
    if (settings.NODE_ENV === 'production' && IS_TEST_KEY.test(settings.STRIPE_SECRET_KEY)) this.logger.warn('STRIPE_SECRET_KEY is a test key: no money will move');
  }

  /** Null when the settings have no key. */
  static of(this: void, settings: Settings, clock: RedisClock): StripeProvider | null {
    return settings.STRIPE_SECRET_KEY === '' ? null : new StripeProvider(settings, clock);
  }

  refusal(money: Money): string | null {
    return toStripeAmount(money) === null ? `provider stripe can't take ${money.amountMinor} minor units of ${money.currency}` : null;
  }

  async start(payment: PaymentOrder): Promise<PaymentStart> {
    try {
      return asStart(payment.providerRef === null ? await this.create(payment) : await this.stripe.paymentIntents.retrieve(payment.providerRef));
    } catch (error) {
      if (!isAmountRefused(error)) throw error;
      this.logger.warn({ paymentId: payment.id, reason: reasonOf(error), msg: 'amount refused' });
      return { status: 'failed' };
    }
  }

  /** An intent whose id was lost with start's answer is made again, which by its idempotency key gives the same one. */
  async cancel(payment: PaymentOrder): Promise<void> {
    try {
      await this.stripe.paymentIntents.cancel(payment.providerRef ?? (await this.create(payment)).id);
    } catch (error) {
      if (!isOver(error) && !isAmountRefused(error)) throw error;
    }
  }

  async refund({ id, providerRef }: Payment, number: number): Promise<RefundAnswer> {
    if (providerRef === null) throw new Error('it is not known which intent paid');
    // A key repeats its first answer, a refund that failed too: each further one needs its own.
    const idempotencyKey = number === 1 ? `refund:${id}` : `refund:${id}:${number}`;
    try {
      const asked = await this.stripe.refunds.create({ payment_intent: providerRef, metadata: { paymentId: id } }, { idempotencyKey });
      // The answer may be that of an earlier call, and no longer true.
      return refundAnswer(await this.stripe.refunds.retrieve(asked.id));
    } catch (error) {
      if (!isRefundedAlready(error)) throw error;
      return refundedElsewhere((await this.stripe.refunds.list({ payment_intent: providerRef, limit: 100 })).data);
    }
  }

  verifyWebhook(headers: IncomingHttpHeaders, rawBody: Buffer): WebhookReading {
    try {
      const signature = headers['stripe-signature'] ?? '';
      const event = this.stripe.webhooks.constructEvent(rawBody, signature, this.settings.STRIPE_WEBHOOK_SECRET, TOLERANCE_SECONDS, undefined, this.clock.nowMs());
      return readStripeEvent(event);
    } catch (error) {
      return { outcome: 'rejected', reason: reasonOf(error) };
    }
  }

  private create(payment: PaymentOrder): Promise<Stripe.PaymentIntent> {
    const { id, orderId, currency } = payment;
    const amount = toStripeAmount(payment);
    if (amount === null) throw new RangeError(`${payment.amountMinor} ${currency} can't be paid by Stripe`);
    return this.stripe.paymentIntents.create(
      { amount, currency: currency.toLowerCase(), metadata: { paymentId: id, orderId }, automatic_payment_methods: { enabled: true } },
      { idempotencyKey: id },
    );
  }
}

function asStart({ id, status, amount_received, currency, client_secret }: Stripe.PaymentIntent): PaymentStart {
  if (status === 'succeeded') {
    const received = fromStripeAmount(amount_received, currency);
    if (received === null) throw new RangeError(`intent ${id} received ${amount_received} ${currency}, which is no amount`);
    return { status: 'succeeded', providerRef: id, received };
  }
  if (status === 'canceled') return { status: 'failed', providerRef: id };
  return { status: 'pending', providerRef: id, ...(client_secret === null ? {} : { clientSecret: client_secret }) };
}
