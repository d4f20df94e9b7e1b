import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RedisClock } from '../../infra/clock/index.js';
import { inTransaction, isDuplicateKey, select, text } from '../../infra/database/index.js';
import { Metrics } from '../../infra/metrics/index.js';
import { OrderClosing } from '../order-closing.js';
import { OrderRelay } from '../order-relay.js';
import { NotRevivable, OrderRevival } from '../order-revival.js';
import { TokenTaking, type Taken } from '../token-taking.js';
import type { PaymentEvent } from './payment-provider.js';
import { PaymentVoiding, type VoidedPayment } from './payment-voiding.js';
import type { Payment, PaymentStatus } from './payment.js';
import { findPayment, insertEvent, keepProviderRef, movePayment } from './payment.statements.js';
import { Refunding } from './refunding.js';

/** What a provider's word led to. */
export type Confirmation =
  | { outcome: 'paid'; orderId: string; voided: VoidedPayment[] }
  | { outcome: 'failed' | 'refunded' | 'repeated'; orderId: string }
  | { outcome: 'refund_due'; orderId: string; because: 'order_closed' | 'order_paid_already' | 'amount_differs' }
  | { outcome: 'unknown_payment' };

/** One event on its way into the books. */
interface Booking {
  saleId: string;
  payment: Payment;
  event: PaymentEvent;
  /** Tokens for an order that was closed and is paid after all; null when there are none for it. */
  taken: Taken[] | null;
  epoch: string;
}

/** Books what a provider says of a payment, each event once, and lets the order's status follow from its payments. */
@Injectable()
export class PaymentConfirmation {
  private readonly logger = new Logger('Payment');

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
    private readonly closing: OrderClosing,
    private readonly revival: OrderRevival,
    private readonly tokens: TokenTaking,
    private readonly refunding: Refunding,
    private readonly voiding: PaymentVoiding,
    private readonly relay: OrderRelay,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Replays change nothing. Money for a closed order buys it units again where some are free, and otherwise becomes `refund_due`, as does
   * money that the order can't take.
   */
  async apply(provider: string, event: PaymentEvent): Promise<Confirmation> {
    const payment = await findPayment(this.dataSource, event.paymentId, provider);
    const confirmation = payment ? await this.book(payment, event) : ({ outcome: 'unknown_payment' } as const);
    this.report(provider, event, confirmation);
    if (confirmation.outcome === 'paid') this.metrics.closed.inc({ status: 'paid' });
    // A repeat relays as well: whoever came first may have died before it could.
    if ('orderId' in confirmation && confirmation.outcome !== 'failed') await this.relay.relayOrders([confirmation.orderId]);
    if (confirmation.outcome === 'paid') await this.voiding.tellProviders(confirmation.voided);
    return confirmation;
  }

  private async book(payment: Payment, event: PaymentEvent): Promise<Confirmation> {
    const { saleId, status } = await orderOf(this.dataSource, payment.orderId);
    // What the order gave back when it closed should be on the list, should it need it again.
    if (event.result === 'succeeded' && status !== 'awaiting_payment') await this.relay.relayOrders([payment.orderId]);
    const booking: Booking = { saleId, payment, event, taken: [], epoch: '' };
    try {
      return await this.bookReviving(booking);
    } catch (error) {
      if (isDuplicateKey(error)) return { outcome: 'repeated', orderId: payment.orderId };
      throw error;
    }
  }

  /** Where the order can't have units again, all is rolled back, and done once more without trying. */
  private async bookReviving(booking: Booking): Promise<Confirmation> {
    const taken = booking.taken ?? [];
    try {
      const confirmation = await inTransaction(this.dataSource, (manager) => this.bookEvent(manager, booking));
      await this.tokens.conclude(booking.epoch, taken, confirmation.outcome === 'paid' ? 'withdrawn' : 'returned');
      return confirmation;
    } catch (error) {
      if (!(error instanceof NotRevivable)) throw error;
      await this.tokens.conclude(booking.epoch, taken, 'returned');
      return inTransaction(this.dataSource, (manager) => this.bookEvent(manager, { ...booking, taken: null }));
    }
  }

  private async bookEvent(manager: EntityManager, booking: Booking): Promise<Confirmation> {
    const { payment, event } = booking;
    const [sale] = await select(manager, 'SELECT epoch FROM sales WHERE id = ? LOCK IN SHARE MODE', [booking.saleId]);
    booking.epoch = sale ? text(sale, 'epoch') : '';
    // The order's row guards its payments too. Index: PRIMARY.
    await select(manager, 'SELECT id FROM orders WHERE id = ? FOR UPDATE', [payment.orderId]);
    await insertEvent(manager, payment.provider, event, this.clock.nowMs());
    const current = await findPayment(manager, payment.id, payment.provider);
    if (!current) throw new Error(`payment ${payment.id} is gone`);
    if (event.providerRef !== undefined) await keepProviderRef(manager, payment.id, event.providerRef);
    switch (event.result) {
      case 'succeeded':
        return this.bookSuccess(manager, { ...booking, payment: current });
      case 'refunded':
        return this.refunding.book(manager, booking.saleId, current);
      case 'failed':
        return this.bookFailure(manager, current);
    }
  }

  private async bookSuccess(manager: EntityManager, booking: Booking): Promise<Confirmation> {
    const { saleId, payment, event, taken, epoch } = booking;
    const { id, orderId, status: from } = payment;
    if (from === 'succeeded' || from === 'refund_due' || from === 'refunded') return { outcome: 'repeated', orderId };
    const nowMs = this.clock.nowMs();
    const move = (to: PaymentStatus): Promise<boolean> => movePayment(manager, id, { from, to, nowMs });
    if (event.amountMinor !== payment.amountMinor || event.currency !== payment.currency) {
      await move('refund_due');
      return { outcome: 'refund_due', orderId, because: 'amount_differs' };
    }
    const cause = `payment ${id}`;
    const order = await this.closing.confirmPaid(orderId, { saleId, cause, nowMs }, manager);
    const closed = order.outcome === 'closed' && order.status !== 'refunded' ? order.status : null;
    const isRevivable = closed !== null && taken !== null;
    if (isRevivable) await this.revival.revive(manager, { orderId, saleId, status: closed }, { epoch, cause, nowMs }, taken);
    const isPaid = order.outcome === 'paid' || isRevivable;
    await move(isPaid ? 'succeeded' : 'refund_due');
    if (isPaid) return { outcome: 'paid', orderId, voided: await this.voiding.voidPending(manager, [orderId], nowMs) };
    return { outcome: 'refund_due', orderId, because: order.outcome === 'already_paid' ? 'order_paid_already' : 'order_closed' };
  }

  private async bookFailure(manager: EntityManager, { id, orderId }: Payment): Promise<Confirmation> {
    const failed = await movePayment(manager, id, { from: 'pending', to: 'failed', nowMs: this.clock.nowMs() });
    return { outcome: failed ? 'failed' : 'repeated', orderId };
  }

  private report(provider: string, event: PaymentEvent, confirmation: Confirmation): void {
    const because = 'because' in confirmation ? confirmation.because : undefined;
    const { eventId, paymentId, result } = event;
    const fields = { provider, eventId, paymentId, result, outcome: confirmation.outcome, because, msg: 'word from a payment provider' };
    if (confirmation.outcome === 'refund_due') this.logger.warn({ ...fields, amountMinor: event.amountMinor, currency: event.currency });
    else if (confirmation.outcome === 'unknown_payment') this.logger.warn(fields);
    else this.logger.log(fields);
  }
}

async function orderOf(dataSource: DataSource, orderId: string): Promise<{ saleId: string; status: string }> {
  const [row] = await select(dataSource, 'SELECT sale_id, status FROM orders WHERE id = ?', [orderId]);
  if (!row) throw new Error(`order ${orderId} of a payment is gone`);
  return { saleId: text(row, 'sale_id'), status: text(row, 'status') };
}
