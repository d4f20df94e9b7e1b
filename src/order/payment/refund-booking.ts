import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RedisClock } from '../../infra/clock/index.js';
import { Metrics } from '../../infra/metrics/index.js';
import { OrderClosing } from '../order-closing.js';
import type { Money, RefundFailure } from './payment-provider.js';
import type { Payment } from './payment.js';
import { countRefundFailures, hasFailed, insertRefundFailure, movePayment, setNextRefund } from './payment.statements.js';

/** So many refunds of a payment may fail before a person has to see to it; one that an operator asks for after that has a single try. */
const MOST_FAILURES = 3;
/** Whatever kept a refund from arriving will hardly be gone sooner. */
const PAUSE_AFTER_FAILURE_MS = 3_600_000;

/** `refund_due`: it failed, and is asked for again; `refund_failed`: it failed, and that was the last one. */
export type RefundBooked = 'refunded' | 'refund_due' | 'refund_failed' | 'repeated';

/** Books what has become of refunds, in the caller's transaction, which holds the order's row. Nothing is taken for gone that came back. */
@Injectable()
export class RefundBooking {
  private readonly logger = new Logger('Refund');

  constructor(
    private readonly clock: RedisClock,
    private readonly closing: OrderClosing,
    private readonly metrics: Metrics,
  ) {}

  /** The money of a payment has gone back: says the call for refund `number`, which counts unless a failure was told meanwhile. */
  async refunded(manager: EntityManager, saleId: string, payment: Payment, number: number): Promise<RefundBooked> {
    if ((await countRefundFailures(manager, payment)) !== number - 1) return 'repeated';
    return this.book(manager, saleId, payment);
  }

  /**
   * The same as a provider's word. Words overtake each other, so it is not believed of a refund that is known to have failed, nor where one has
   * and this names none.
   */
  async refundedByWord(manager: EntityManager, saleId: string, payment: Payment, refundRef: string | undefined): Promise<RefundBooked> {
    const isDoubtful = refundRef === undefined ? (await countRefundFailures(manager, payment)) > 0 : await hasFailed(manager, payment, refundRef);
    return isDoubtful ? 'repeated' : this.book(manager, saleId, payment);
  }

  /** A refund came to nothing, also one that counted as through. There is another one later, unless that has no prospect. */
  async failed(manager: EntityManager, payment: Payment, money: Money, failure: RefundFailure): Promise<RefundBooked> {
    const nowMs = this.clock.nowMs();
    const { id, status: from } = payment;
    if (!(await insertRefundFailure(manager, payment, failure, money, nowMs))) return 'repeated';
    // Of a refund that we have not booked, and do not want, nothing follows.
    if (from !== 'refund_due' && from !== 'refunded') return 'repeated';
    const isOver = failure.isFinal || (await countRefundFailures(manager, payment)) >= MOST_FAILURES;
    const to = isOver ? 'refund_failed' : 'refund_due';
    await movePayment(manager, id, { from, to, nowMs });
    if (!isOver) await setNextRefund(manager, id, nowMs + PAUSE_AFTER_FAILURE_MS);
    return to;
  }

  /** After the commit: for the log and the metrics. */
  report(payment: Payment, booked: RefundBooked, failure?: RefundFailure): void {
    if (booked === 'repeated') return;
    const { id: paymentId, orderId, provider, amountMinor, currency } = payment;
    const fields = { paymentId, orderId, provider, amountMinor, currency, refund: failure?.refundRef, reason: failure?.reason };
    this.metrics.refunds.inc({ outcome: booked === 'refunded' ? 'done' : booked === 'refund_due' ? 'failed' : 'given_up' });
    if (booked === 'refunded') this.logger.log({ ...fields, msg: 'refunded' });
    else this.logger.warn({ ...fields, msg: booked === 'refund_due' ? 'refund failed; there will be another' : 'refund failed for good: an operator has to see to it' });
  }

  private async book(manager: EntityManager, saleId: string, { id, orderId, status: from }: Payment): Promise<RefundBooked> {
    if (from === 'refunded') return 'repeated';
    await movePayment(manager, id, { from, to: 'refunded', nowMs: this.clock.nowMs() });
    // Refunded at the provider itself: the order was paid by this payment, and is not any more.
    if (from === 'succeeded') await this.closing.closeRefunded(manager, { orderId, saleId, cause: `payment ${id}` });
    return 'refunded';
  }
}
