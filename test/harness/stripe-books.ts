export type StripeObject = Record<string, unknown>;

export interface Intent extends StripeObject {
  id: string;
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled';
  amount: number;
  amount_received: number;
  currency: string;
  metadata: Record<string, string>;
}

export interface Refund extends StripeObject {
  id: string;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  failure_reason?: string;
  amount: number;
  payment_intent: string;
}

/** An error of Stripe's, as its API answers it. */
export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    readonly body: StripeObject,
  ) {
    super(String(body.message));
  }
}

const SMALLEST = 30;
const invalid = (message: string, more: StripeObject = {}): StripeRefusal => new StripeRefusal(400, { type: 'invalid_request_error', message, ...more });
const missing = (id: string): StripeRefusal => new StripeRefusal(404, { type: 'invalid_request_error', code: 'resource_missing', message: `No such object: '${id}'` });

/** The intents and refunds of the stand-in, and the rules of their states. */
export class StripeBooks {
  readonly intents = new Map<string, Intent>();
  readonly refunds = new Map<string, Refund>();
  /** How new refunds stand. */
  refundsAre: 'succeeded' | 'pending' | 'failed' = 'succeeded';

  intent(id: string): Intent {
    const intent = this.intents.get(id);
    if (!intent) throw missing(id);
    return intent;
  }

  refund(id: string): Refund {
    const refund = this.refunds.get(id);
    if (!refund) throw missing(id);
    return refund;
  }

  /** The intents that were made for a payment of the service's. */
  intentsOf(paymentId: string): Intent[] {
    return [...this.intents.values()].filter(({ metadata }) => metadata.paymentId === paymentId);
  }

  createIntent(form: URLSearchParams): Intent {
    const [amount, currency] = [Number(form.get('amount')), form.get('currency') ?? ''];
    if (!/^[a-z]{3}$/.test(currency)) throw invalid('Invalid currency', { param: 'currency' });
    if (!Number.isInteger(amount)) throw invalid('Invalid integer', { param: 'amount' });
    if (amount < SMALLEST) throw invalid('Amount must convert to at least 50 cents', { code: 'amount_too_small', param: 'amount' });
    const id = `pi_${this.intents.size + 1}`;
    const metadata = Object.fromEntries([...form].flatMap(([name, value]) => [/^metadata\[(\w+)\]$/.exec(name)?.[1]].flatMap((key) => (key === undefined ? [] : [[key, value]])))) as Record<string, string>;
    const intent: Intent = { id, object: 'payment_intent', status: 'requires_payment_method', amount, amount_received: 0, currency, metadata, client_secret: `${id}_secret_x` };
    this.intents.set(id, intent);
    return intent;
  }

  cancelIntent(id: string): Intent {
    const intent = this.intent(id);
    if (intent.status !== 'requires_payment_method') {
      throw invalid(`You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`, { code: 'payment_intent_unexpected_state', payment_intent: intent });
    }
    return Object.assign(intent, { status: 'canceled' });
  }

  /** The shopper's page pays the intent. */
  pay(id: string, received?: number): Intent {
    const intent = this.intent(id);
    if (intent.status !== 'requires_payment_method') throw new Error(`an intent that is ${intent.status} can't be paid`);
    return Object.assign(intent, { status: 'succeeded', amount_received: received ?? intent.amount });
  }

  createRefund(form: URLSearchParams): Refund {
    const intent = this.intent(form.get('payment_intent') ?? '');
    if (intent.status !== 'succeeded') throw invalid('This PaymentIntent does not have a successful charge to refund.', { code: 'missing' });
    const gone = this.refundsOf(intent.id).reduce((sum, { amount }) => sum + amount, 0);
    if (gone >= intent.amount_received) throw invalid('Charge has already been refunded.', { code: 'charge_already_refunded' });
    const id = `re_${this.refunds.size + 1}`;
    const refund: Refund = { id, object: 'refund', status: this.refundsAre, amount: intent.amount_received - gone, currency: intent.currency, payment_intent: intent.id };
    if (refund.status === 'failed') refund.failure_reason = 'declined';
    this.refunds.set(id, refund);
    return refund;
  }

  /** The bank sends a refund back. */
  failRefund({ id }: Refund, failure_reason: string): Refund {
    return Object.assign(this.refund(id), { status: 'failed', failure_reason });
  }

  /** Those that have sent money back, or are about to. */
  refundsOf(intentId: string): Refund[] {
    return this.allRefundsOf(intentId).filter(({ status }) => status !== 'failed' && status !== 'canceled');
  }

  allRefundsOf(intentId: string): Refund[] {
    return [...this.refunds.values()].filter(({ payment_intent }) => payment_intent === intentId);
  }
}
