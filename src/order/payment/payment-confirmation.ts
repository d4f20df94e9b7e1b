import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RedisClock } from '../../infra/clock/index.js';
import { inTransaction, select, text } from '../../infra/database/index.js';
import { Metrics } from '../../infra/metrics/index.js';
import { OrderClosing } from '../order-closing.js';
import { lockSale } from '../order-closing.statements.js';
import { OrderRelay } from '../order-relay.js';
import type { PaymentEvent } from './payment-provider.js';
import { PaymentVoiding, type VoidedPayment } from './payment-voiding.js';
import type { Payment, PaymentStatus } from './payment.js';
import { findPayment, keepProviderRef, movePayment } from './payment.statements.js';

/** What a provider's word led to. */
export type Confirmation =
  | { outcome: 'paid'; orderId: string; voided: VoidedPayment[] }
  | { outcome: 'failed'; orderId: string }
  | { outcome: 'refund_due'; orderId: string; because: 'order_closed' | 'order_paid_already' | 'amount_differs' }
  | { outcome: 'repeated'; orderId: string }
  | { outcome: 'unknown_payment' };

/** Books what a provider says of a payment, once, and lets the order's status follow. */
@Injectable()
export class PaymentConfirmation {
  private readonly logger = new Logger('Payment');

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
    private readonly closing: OrderClosing,
    private readonly voiding: PaymentVoiding,
    private readonly relay: OrderRelay,
    private readonly metrics: Metrics,
  ) {}

  /** Replays and late words change nothing, or become `refund_due` where money came that the order can't take. */
  async apply(provider: string, event: PaymentEvent): Promise<Confirmation> {
    const payment = await findPayment(this.dataSource, event.paymentId, provider);
    const confirmation = payment ? await this.book(payment, event) : ({ outcome: 'unknown_payment' } as const);
    this.report(provider, event, confirmation);
    if (confirmation.outcome === 'paid') this.metrics.closed.inc({ status: 'paid' });
    // A repeat relays as well: whoever came first may have died before it could.
    if (confirmation.outcome === 'paid' || confirmation.outcome === 'repeated') await this.relay.relayOrders([confirmation.orderId]);
    if (confirmation.outcome === 'paid') await this.voiding.tellProviders(confirmation.voided);
    return confirmation;
  }

  private async book(payment: Payment, event: PaymentEvent): Promise<Confirmation> {
    const saleId = await saleOf(this.dataSource, payment.orderId);
    return inTransaction(this.dataSource, async (manager) => {
      await lockSale(manager, saleId);
      // The order's row guards its payments too. Index: PRIMARY.
      await select(manager, 'SELECT id FROM orders WHERE id = ? FOR UPDATE', [payment.orderId]);
      const current = await findPayment(manager, payment.id, payment.provider);
      if (!current) throw new Error(`payment ${payment.id} is gone`);
      if (event.providerRef !== undefined) await keepProviderRef(manager, payment.id, event.providerRef);
      return event.result === 'succeeded' ? this.bookSuccess(manager, saleId, current, event) : this.bookFailure(manager, current);
    });
  }

  private async bookSuccess(manager: EntityManager, saleId: string, payment: Payment, event: PaymentEvent): Promise<Confirmation> {
    const { id, orderId, status: from } = payment;
    if (from === 'succeeded' || from === 'refund_due') return { outcome: 'repeated', orderId };
    const nowMs = this.clock.nowMs();
    const move = (to: PaymentStatus): Promise<boolean> => movePayment(manager, id, { from, to, nowMs });
    if (event.amountMinor !== payment.amountMinor || event.currency !== payment.currency) {
      await move('refund_due');
      return { outcome: 'refund_due', orderId, because: 'amount_differs' };
    }
    const order = await this.closing.confirmPaid(orderId, { saleId, cause: `payment ${id}`, nowMs }, manager);
    await move(order.outcome === 'paid' ? 'succeeded' : 'refund_due');
    if (order.outcome === 'paid') return { outcome: 'paid', orderId, voided: await this.voiding.voidPending(manager, [orderId], nowMs) };
    return { outcome: 'refund_due', orderId, because: order.outcome === 'already_paid' ? 'order_paid_already' : 'order_closed' };
  }

  private async bookFailure(manager: EntityManager, { id, orderId }: Payment): Promise<Confirmation> {
    const failed = await movePayment(manager, id, { from: 'pending', to: 'failed', nowMs: this.clock.nowMs() });
    return failed ? { outcome: 'failed', orderId } : { outcome: 'repeated', orderId };
  }

  private report(provider: string, event: PaymentEvent, confirmation: Confirmation): void {
    const because = 'because' in confirmation ? confirmation.because : undefined;
    const { paymentId, result } = event;
    const fields = { provider, paymentId, result, outcome: confirmation.outcome, because, msg: 'word from a payment provider' };
    if (confirmation.outcome === 'refund_due') this.logger.warn({ ...fields, amountMinor: event.amountMinor, currency: event.currency });
    else if (confirmation.outcome === 'unknown_payment') this.logger.warn(fields);
    else this.logger.log(fields);
  }
}

async function saleOf(dataSource: DataSource, orderId: string): Promise<string> {
  const [row] = await select(dataSource, 'SELECT sale_id FROM orders WHERE id = ?', [orderId]);
  if (!row) throw new Error(`order ${orderId} of a payment is gone`);
  return text(row, 'sale_id');
}
