import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { inTransaction, select, text } from '../infra/database/index.js';
import { Metrics } from '../infra/metrics/index.js';
import {
  lockDueOrders,
  lockSale,
  markClosed,
  markPaid,
  recordEvents,
  returnTokens,
  salesWithDueOrders,
  withdrawTokens,
  type Step,
} from './order-closing.statements.js';
import { orderStatus, transition, type OrderStatus } from './order-status.js';
import { PaymentVoiding, type VoidedPayment } from './payment/payment-voiding.js';

/** Orders expired in one transaction. */
const BATCH = 200;

interface Expired {
  orderIds: string[];
  voided: VoidedPayment[];
}

/** What became of a shopper's wish to cancel. */
export type CancelOutcome =
  | { outcome: 'cancelled' }
  | { outcome: 'already_cancelled' }
  | { outcome: 'not_cancellable'; status: Exclude<OrderStatus, 'awaiting_payment' | 'cancelled'> }
  | { outcome: 'not_found' };

/** What became of a payment's success. */
export type PaidOutcome =
  | { outcome: 'paid' }
  | { outcome: 'already_paid' }
  | { outcome: 'closed'; status: Exclude<OrderStatus, 'awaiting_payment' | 'paid'> };

/**
 * Takes orders out of `awaiting_payment`. Pay, cancel and expire may meet: the conditional update of the order's row lets exactly one
 * win, and everything that follows from it (tokens to the outbox, `sold`, payments, the event) happens in the same transaction.
 * The Redis side follows through the relay, which callers call after the commit.
 */
@Injectable()
export class OrderClosing {
  private readonly logger = new Logger('OrderClosing');

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
    private readonly payments: PaymentVoiding,
    private readonly metrics: Metrics,
  ) {}

  /** Cancels the shopper's own unpaid order and gives its tokens back. Repeating is safe. */
  async cancel(orderId: string, userId: string): Promise<CancelOutcome> {
    const [row] = await select(this.dataSource, 'SELECT sale_id FROM orders WHERE id = ? AND user_id = ?', [orderId, userId]);
    if (!row) return { outcome: 'not_found' };
    const step = { saleId: text(row, 'sale_id'), orderIds: [orderId], transition: transition('awaiting_payment', 'cancelled'), cause: 'shopper' };
    const { closed, voided, status } = await inTransaction(this.dataSource, async (manager) => {
      await lockSale(manager, step.saleId);
      const won = await this.close(manager, { ...step, nowMs: this.clock.nowMs() });
      return { ...won, status: await statusOf(manager, orderId) };
    });
    if (!closed) return refusal(status);
    await this.closed('cancelled', [orderId], voided);
    return { outcome: 'cancelled' };
  }

  /**
   * Expires up to `limit` unpaid orders whose `payBefore` is at or before `nowMs` (Redis time), and answers their ids. An order that
   * someone else has in hand at this moment is passed over: ask `hasDue` whether any is left. A sale that can't be had
   * (a rebuild that takes long, say) does not hold up the others.
   * @throws the database's error, if it kept every order from being expired
   */
  async expireDue(nowMs: number, limit: number): Promise<string[]> {
    const expired: string[] = [];
    const failures: unknown[] = [];
    for (const saleId of await salesWithDueOrders(this.dataSource, nowMs, Math.max(limit, BATCH))) {
      try {
        await this.expireSale(saleId, nowMs, limit, expired);
      } catch (error) {
        failures.push(error);
        this.logger.error({ saleId, err: error, msg: 'unpaid orders could not be expired' });
      }
    }
    if (expired.length === 0 && failures.length > 0) throw failures[0];
    return expired;
  }

  /** Whether an unpaid order is due at `nowMs`, in anyone's hands or not. */
  async hasDue(nowMs: number): Promise<boolean> {
    return (await salesWithDueOrders(this.dataSource, nowMs, 1)).length > 0;
  }

  /**
   * Makes an unpaid order paid. It runs in the caller's transaction, which has locked the sale (`lockSale`) before anything else and
   * writes the payment beside it. An order whose `payBefore` has just passed is still paid if nothing has closed it yet:
   * its units are still held, and the money is there.
   */
  async confirmPaid(orderId: string, how: { saleId: string; cause: string; nowMs: number }, manager: EntityManager): Promise<PaidOutcome> {
    if ((await markPaid(manager, orderId, how.nowMs)) === 1) {
      await recordEvents(manager, { ...how, orderIds: [orderId], transition: transition('awaiting_payment', 'paid') });
      return { outcome: 'paid' };
    }
    const status = await statusOf(manager, orderId);
    if (status === 'awaiting_payment') throw new Error(`order ${orderId} was neither paid nor closed`);
    return status === 'paid' ? { outcome: 'already_paid' } : { outcome: 'closed', status };
  }

  /**
   * Makes a paid order refunded. It runs in the caller's transaction, which has locked the sale and the order and moves the payment.
   * Its units go back on sale, or are taken out of sale by an operator.
   */
  async closeRefunded(manager: EntityManager, { takenOutBy, orderId, ...step }: { orderId: string; saleId: string; cause: string; takenOutBy?: string }): Promise<void> {
    const refund: Step = { ...step, orderIds: [orderId], transition: transition('paid', 'refunded'), nowMs: this.clock.nowMs() };
    if ((await markClosed(manager, refund)) !== 1) return;
    await recordEvents(manager, refund);
    await (takenOutBy === undefined ? returnTokens(manager, refund) : withdrawTokens(manager, refund, takenOutBy));
    this.metrics.closed.inc({ status: 'refunded' });
  }

  private async expireSale(saleId: string, nowMs: number, limit: number, expired: string[]): Promise<void> {
    for (;;) {
      const wanted = Math.min(BATCH, limit - expired.length);
      if (wanted <= 0) return;
      const { orderIds, voided } = await inTransaction(this.dataSource, (manager) => this.expireBatch(manager, saleId, nowMs, wanted));
      if (orderIds.length > 0) await this.closed('expired', orderIds, voided);
      expired.push(...orderIds);
      if (orderIds.length < wanted) return;
    }
  }

  private async expireBatch(manager: EntityManager, saleId: string, nowMs: number, limit: number): Promise<Expired> {
    await lockSale(manager, saleId);
    const orderIds = await lockDueOrders(manager, saleId, nowMs, limit);
    if (orderIds.length === 0) return { orderIds, voided: [] };
    const step = { saleId, orderIds, transition: transition('awaiting_payment', 'expired'), cause: 'payment deadline', nowMs: this.clock.nowMs() };
    const { closed, voided } = await this.close(manager, step);
    if (!closed) throw new Error('an order changed its status although it was locked');
    return { orderIds, voided };
  }

  /** All orders of the step close, or (where one is no longer in the `from` status) none does and nothing is written. */
  private async close(manager: EntityManager, step: Step): Promise<{ closed: boolean; voided: VoidedPayment[] }> {
    if ((await markClosed(manager, step)) !== step.orderIds.length) return { closed: false, voided: [] };
    await recordEvents(manager, step);
    const voided = await this.payments.voidPending(manager, step.orderIds, step.nowMs);
    await returnTokens(manager, step);
    return { closed: true, voided };
  }

  private async closed(status: OrderStatus, orderIds: string[], voided: VoidedPayment[]): Promise<void> {
    this.metrics.closed.inc({ status }, orderIds.length);
    await this.payments.tellProviders(voided);
  }
}

async function statusOf(manager: EntityManager, orderId: string): Promise<OrderStatus> {
  const [row] = await select(manager, 'SELECT status FROM orders WHERE id = ?', [orderId]);
  if (!row) throw new Error(`order ${orderId} is gone`);
  return orderStatus(text(row, 'status'));
}

function refusal(status: OrderStatus): CancelOutcome {
  if (status === 'awaiting_payment') throw new Error('an unpaid order could not be cancelled');
  return status === 'cancelled' ? { outcome: 'already_cancelled' } : { outcome: 'not_cancellable', status };
}
