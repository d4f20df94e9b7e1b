import type { Answer, Api } from './api.js';
import { ok, Shop, type TestSale } from './shop.js';
import { StripeApi } from './stripe-api.js';
import type { Intent } from './stripe-books.js';
import { intentSucceeded, signedEvent, STRIPE_WEBHOOK } from './stripe-events.js';

export interface Buying {
  shopper: Api;
  sale: TestSale;
  orderId: string;
}

export interface Paying extends Buying {
  paymentId: string;
  intent: Intent;
}

/** The service with Stripe's stand-in, and what tests ask of both again and again. */
export class StripeBench {
  private constructor(
    readonly stripe: StripeApi,
    readonly shop: Shop,
  ) {}

  static async open(): Promise<StripeBench> {
    const stripe = await StripeApi.open();
    return new StripeBench(stripe, await Shop.open({ ...stripe.settings, HOST: '127.0.0.2' }));
  }

  /** Stripe is as it should be again. */
  calm(): void {
    this.stripe.calm();
    this.stripe.books.refundsAre = 'succeeded';
  }

  async close(): Promise<void> {
    await this.shop.close();
    await this.stripe.close();
  }

  pay(shopper: Api, orderId: string, provider = 'stripe', headers?: Record<string, string>): Promise<Answer> {
    return shopper.post(`/orders/${orderId}/pay`, { provider }, headers);
  }

  /** An unpaid order. */
  async buying({ stock = 2, ...policy }: { stock?: number; paymentTimeoutSeconds?: number } = {}): Promise<Buying> {
    const [sale, shopper] = [await this.shop.sale({ items: [{ stock }], ...policy }), await this.shop.shopper()];
    return { shopper, sale, orderId: (await this.shop.buy(shopper, sale)).orderId };
  }

  /** An unpaid order with its intent. */
  async paying(plan: { stock?: number; paymentTimeoutSeconds?: number } = {}): Promise<Paying> {
    const bought = await this.buying(plan);
    const { id } = ok(await this.pay(bought.shopper, bought.orderId), 200).body.payment;
    return { ...bought, paymentId: id, intent: this.intentOf(id) };
  }

  /** The one intent of a payment. @throws Error when there are others, or none */
  intentOf(paymentId: string): Intent {
    const [intent, ...others] = this.stripe.books.intentsOf(paymentId);
    if (!intent || others.length > 0) throw new Error(`${intent ? 1 + others.length : 0} intents of payment ${paymentId}`);
    return intent;
  }

  send(body: string, secret = this.stripe.webhookSecret, ageSeconds = 0): Promise<Answer> {
    return this.shop.api.post(STRIPE_WEBHOOK, ...signedEvent(body, secret, ageSeconds));
  }

  /** The intent is paid and the webhook says so; answers what it said. */
  async succeed({ intent }: Paying, received?: number): Promise<string> {
    const said = intentSucceeded(this.stripe.books.pay(intent.id, received));
    ok(await this.send(said), 200);
    return said;
  }

  async orderOf({ shopper, orderId }: Pick<Buying, 'shopper' | 'orderId'>): Promise<any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- an order
    return ok(await shopper.get(`/orders/${orderId}`), 200).body;
  }

  /** The payments of an order, oldest first, as `stripe pending`. */
  async paymentsOf({ orderId }: Pick<Buying, 'orderId'>): Promise<string[]> {
    const rows: { said: string }[] = await this.shop.database.query(`SELECT CONCAT(provider, ' ', status) AS said FROM payments WHERE order_id = ? ORDER BY created_at, id`, [orderId]);
    return rows.map(({ said }) => said);
  }

  /** Whether the provider is still to be told that the payment is void. */
  async isToBeTold(paymentId: string): Promise<boolean> {
    return (await this.shop.database.query('SELECT id FROM payments WHERE id = ? AND void_due_at IS NOT NULL', [paymentId])).length === 1;
  }

  /** How often an order became paid. */
  async timesPaid({ orderId }: Buying): Promise<number> {
    return (await this.shop.database.query(`SELECT id FROM order_events WHERE order_id = ? AND to_status = 'paid'`, [orderId])).length;
  }
}
