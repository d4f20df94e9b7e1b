import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RedisClock } from '../../infra/clock/index.js';
import { inTransaction, select, text } from '../../infra/database/index.js';
import { DomainError } from '../../infra/errors.js';
import { Metrics } from '../../infra/metrics/index.js';
import { OrderClosing } from '../order-closing.js';
import { OrderRelay } from '../order-relay.js';
import { Contested, NotRevivable, OrderRevival } from '../order-revival.js';
import { Hand, TokenTaking } from '../token-taking.js';
import type { Money, PaymentEvent } from './payment-provider.js';
import { PaymentVoiding, type VoidedPayment } from './payment-voiding.js';
import type { Payment, PaymentStatus } from './payment.js';
import { findPayment, insertEvent, keepProviderRef, movePayment, paymentOfEvent } from './payment.statements.js';
import { RefundBooking, type RefundBooked } from './refund-booking.js';

/** What a provider's word led to. */
export type Confirmation =
  | { outcome: 'paid'; orderId: string; voided: VoidedPayment[] }
  | { outcome: 'failed' | 'refunded' | 'refund_failed' | 'refund_differs' | 'repeated'; orderId: string }
  | { outcome: 'refund_due'; orderId: string; because: 'order_closed' | 'order_paid_already' | 'amount_differs' | 'refund_failed' }
  | { outcome: 'unknown_payment' };

/** One event on its way into the books. */
interface Booking {
  saleId: string;
  payment: Payment;
  event: PaymentEvent;
  /** For the tokens of an order that was closed and is paid after all; null when that was found impossible. */
  hand: Hand | null;
}

/** What a payment may have come to after its money came in. */
const HAS_SUCCEEDED: PaymentStatus[] = ['succeeded', 'refund_due', 'refunded', 'refund_failed'];
type RefundEvent = Extract<PaymentEvent, { result: 'refunded' | 'refund_failed' }>;

/** Tries to give a late order units while others are quicker. */
const TRIES = 5;

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
    private readonly refunds: RefundBooking,
    private readonly voiding: PaymentVoiding,
    private readonly relay: OrderRelay,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Replays change nothing. Money for a closed order buys it units again where some are free, and otherwise becomes `refund_due`, as does
   * money that the order can't take.
   */
  async apply(provider: string, event: PaymentEvent): Promise<Confirmation> {
    const payment = await paymentOfEvent(this.dataSource, provider, event);
    const confirmation = payment ? await this.book(payment, event) : ({ outcome: 'unknown_payment' } as const);
    this.report(provider, event, confirmation);
    if (payment) this.refunds.report(payment, refundBooked(confirmation), event.result === 'refund_failed' ? event.failure : undefined);
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
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const confirmation = await this.bookReviving({ saleId, payment, event }, new Hand());
      if (confirmation === 'not_revivable') break;
      if (confirmation !== 'contested') return confirmation;
    }
    return inTransaction(this.dataSource, (manager) => this.bookEvent(manager, { saleId, payment, event, hand: null }));
  }

  private async bookReviving(booking: Omit<Booking, 'hand'>, hand: Hand): Promise<Confirmation | 'contested' | 'not_revivable'> {
    try {
      const confirmation = await inTransaction(this.dataSource, (manager) => this.bookEvent(manager, { ...booking, hand }));
      await (confirmation.outcome === 'paid' ? this.tokens.keep(hand) : this.tokens.giveBack(hand));
      return confirmation;
    } catch (error) {
      // Any other error may have come after the commit: the sweep finds out what MySQL has.
      if (error instanceof NotRevivable || error instanceof Contested || error instanceof DomainError) await this.tokens.giveBack(hand);
      if (error instanceof NotRevivable) return 'not_revivable';
      if (error instanceof Contested) return 'contested';
      throw error;
    }
  }

  private async bookEvent(manager: EntityManager, booking: Booking): Promise<Confirmation> {
    const { payment, event } = booking;
    const [sale] = await select(manager, 'SELECT epoch FROM sales WHERE id = ? LOCK IN SHARE MODE', [booking.saleId]);
    // The order's row guards its payments too. Index: PRIMARY.
    await select(manager, 'SELECT id FROM orders WHERE id = ? FOR UPDATE', [payment.orderId]);
    // Several events tell of one failure of a refund: that is kept once for all of them.
    const isRefundFailure = event.result === 'refund_failed' && !differs(event, payment);
    if (!isRefundFailure && !(await insertEvent(manager, payment, event, this.clock.nowMs()))) return { outcome: 'repeated', orderId: payment.orderId };
    const current = await findPayment(manager, payment.id, payment.provider);
    if (!current) throw new Error(`payment ${payment.id} is gone`);
    if (event.providerRef !== undefined) await keepProviderRef(manager, payment.id, event.providerRef);
    switch (event.result) {
      case 'succeeded':
        return this.bookSuccess(manager, text(sale ?? {}, 'epoch'), { ...booking, payment: current });
      case 'refunded':
      case 'refund_failed':
        return this.bookRefund(manager, booking.saleId, current, event);
      case 'failed':
        return this.bookFailure(manager, current);
    }
  }

  /** Of part of the money, or of another currency, nothing follows that this service could do by itself. */
  private async bookRefund(manager: EntityManager, saleId: string, payment: Payment, event: RefundEvent): Promise<Confirmation> {
    const { orderId } = payment;
    if (differs(event, payment)) return { outcome: 'refund_differs', orderId };
    const isFailure = event.result === 'refund_failed';
    const booked = await (isFailure ? this.refunds.failed(manager, payment, event, event.failure) : this.refunds.refundedByWord(manager, saleId, payment, event.refundRef));
    return booked === 'refund_due' ? { outcome: booked, orderId, because: 'refund_failed' } : { outcome: booked, orderId };
  }

  private async bookSuccess(manager: EntityManager, epoch: string, { saleId, payment, event, hand }: Booking): Promise<Confirmation> {
    const { id, orderId, status: from } = payment;
    if (HAS_SUCCEEDED.includes(from)) return { outcome: 'repeated', orderId };
    const nowMs = this.clock.nowMs();
    const move = (to: PaymentStatus): Promise<boolean> => movePayment(manager, id, { from, to, nowMs });
    if (differs(event, payment)) {
      await move('refund_due');
      return { outcome: 'refund_due', orderId, because: 'amount_differs' };
    }
    const cause = `payment ${id}`;
    const order = await this.closing.confirmPaid(orderId, { saleId, cause, nowMs }, manager);
    const closed = order.outcome === 'closed' && order.status !== 'refunded' ? order.status : null;
    const isRevivable = closed !== null && hand !== null;
    if (isRevivable) await this.revival.revive(manager, { orderId, saleId, status: closed }, { epoch, cause, nowMs }, hand);
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
    const { eventId, paymentId, providerRef, result } = event;
    const fields = { provider, eventId, paymentId, providerRef, result, outcome: confirmation.outcome, because, msg: 'word from a payment provider' };
    if (confirmation.outcome === 'refund_due' || confirmation.outcome === 'refund_differs') this.logger.warn({ ...fields, amountMinor: event.amountMinor, currency: event.currency });
    // Where others use the provider's account too, most of what is named only by the provider's id is theirs.
    else if (confirmation.outcome === 'unknown_payment') this.logger[paymentId === undefined ? 'debug' : 'warn'](fields);
    else this.logger.log(fields);
  }
}

/** What a confirmation says of a refund that was made; money that has become due only now is none. */
function refundBooked(confirmation: Confirmation): RefundBooked {
  if (confirmation.outcome === 'refunded' || confirmation.outcome === 'refund_failed') return confirmation.outcome;
  return confirmation.outcome === 'refund_due' && confirmation.because === 'refund_failed' ? 'refund_due' : 'repeated';
}

const differs = (event: Money, payment: Money): boolean => event.amountMinor !== payment.amountMinor || event.currency !== payment.currency;

async function orderOf(dataSource: DataSource, orderId: string): Promise<{ saleId: string; status: string }> {
  const [row] = await select(dataSource, 'SELECT sale_id, status FROM orders WHERE id = ?', [orderId]);
  if (!row) throw new Error(`order ${orderId} of a payment is gone`);
  return { saleId: text(row, 'sale_id'), status: text(row, 'status') };
}
