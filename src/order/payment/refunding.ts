import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RedisClock } from '../../infra/clock/index.js';
import { inTransaction, select, text } from '../../infra/database/index.js';
import { OrderClosing } from '../order-closing.js';
import { lockSale } from '../order-closing.statements.js';
import { OrderRelay } from '../order-relay.js';
import { orderStatus, type OrderStatus } from '../order-status.js';
import type { RefundAnswer } from './payment-provider.js';
import { PaymentRegistry } from './payment-registry.js';
import type { Payment } from './payment.js';
import { countRefundFailures, dueRefunds, findPayment, movePayment, putOffRefund, retryFailedRefunds, succeededPayment } from './payment.statements.js';
import { RefundBooking, type RefundBooked } from './refund-booking.js';

const BATCH = 50;

export type RefundOutcome = { outcome: 'refunding' } | { outcome: 'already_refunded' } | { outcome: 'not_refundable'; status: OrderStatus } | { outcome: 'not_found' };

/** Sends money back: of payments that no order could take, and of orders that an operator refunds. Each payment once. */
@Injectable()
export class Refunding {
  private readonly logger = new Logger('Refund');

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
    private readonly registry: PaymentRegistry,
    private readonly closing: OrderClosing,
    private readonly booking: RefundBooking,
    private readonly relay: OrderRelay,
  ) {}

  /**
   * Refunds a paid order in full. Its status changes at once, the money follows. Money of an order that could not be sent back so far is
   * tried once more.
   * @param unitsReturn whether its units are on sale again, or taken out of sale for good
   */
  async refundOrder(orderId: string, { unitsReturn, operatorId }: { unitsReturn: boolean; operatorId: string }): Promise<RefundOutcome> {
    const [order] = await select(this.dataSource, 'SELECT sale_id FROM orders WHERE id = ?', [orderId]);
    if (!order) return { outcome: 'not_found' };
    const outcome = await inTransaction(this.dataSource, async (manager): Promise<RefundOutcome> => {
      await lockSale(manager, text(order, 'sale_id'));
      const [row] = await select(manager, 'SELECT status FROM orders WHERE id = ? FOR UPDATE', [orderId]);
      const status = orderStatus(text(row ?? {}, 'status'));
      const retried = await retryFailedRefunds(manager, orderId, this.clock.nowMs());
      const payment = status === 'paid' ? await succeededPayment(manager, orderId) : null;
      if (!payment && retried > 0) return { outcome: 'refunding' };
      if (!payment) return status === 'refunded' ? { outcome: 'already_refunded' } : { outcome: 'not_refundable', status };
      await movePayment(manager, payment.id, { from: 'succeeded', to: 'refund_due', nowMs: this.clock.nowMs() });
      await this.closing.closeRefunded(manager, { orderId, saleId: text(order, 'sale_id'), cause: `operator ${operatorId}`, ...(!unitsReturn && { takenOutBy: operatorId }) });
      return { outcome: 'refunding' };
    });
    await this.relay.relayOrders([orderId]);
    if (outcome.outcome === 'refunding') await this.refundDue();
    return outcome;
  }

  /** Asks the providers for every refund that is due; answers how many are through. Never throws: what fails is tried again later. */
  async refundDue(): Promise<number> {
    const due = await dueRefunds(this.dataSource, this.clock.nowMs(), BATCH);
    const done = await Promise.all(due.map((payment) => this.refund(payment)));
    return done.filter(Boolean).length;
  }

  private async refund(payment: Payment): Promise<boolean> {
    try {
      // First, so that a provider that does not answer is not asked by everyone at once.
      await putOffRefund(this.dataSource, payment.id, this.clock.nowMs());
      const provider = this.registry.find(payment.provider);
      if (!provider) throw new Error(`there is no provider ${payment.provider} any more`);
      const number = 1 + (await countRefundFailures(this.dataSource, payment));
      const answer = await provider.refund(payment, number);
      if (answer.status === 'pending') return false;
      return (await this.settle(payment, number, answer)) === 'refunded';
    } catch (error) {
      this.logger.warn({ paymentId: payment.id, provider: payment.provider, reason: String(error), msg: 'refund put off' });
      return false;
    }
  }

  private async settle(payment: Payment, number: number, answer: Exclude<RefundAnswer, { status: 'pending' }>): Promise<RefundBooked> {
    const [order = {}] = await select(this.dataSource, 'SELECT sale_id FROM orders WHERE id = ?', [payment.orderId]);
    const saleId = text(order, 'sale_id');
    const booked = await inTransaction(this.dataSource, async (manager): Promise<RefundBooked> => {
      await lockSale(manager, saleId);
      await select(manager, 'SELECT id FROM orders WHERE id = ? FOR UPDATE', [payment.orderId]);
      const current = await findPayment(manager, payment.id, payment.provider);
      if (!current) return 'repeated';
      return answer.status === 'refunded' ? this.booking.refunded(manager, saleId, current, number) : this.booking.failed(manager, current, current, answer.failure);
    });
    this.booking.report(payment, booked, answer.status === 'failed' ? answer.failure : undefined);
    return booked;
  }
}
