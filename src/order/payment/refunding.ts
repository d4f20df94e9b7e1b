import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RedisClock } from '../../infra/clock/index.js';
import { inTransaction, select, text } from '../../infra/database/index.js';
import { OrderClosing } from '../order-closing.js';
import { lockSale } from '../order-closing.statements.js';
import { OrderRelay } from '../order-relay.js';
import { orderStatus, type OrderStatus } from '../order-status.js';
import { PaymentRegistry } from './payment-registry.js';
import type { Payment } from './payment.js';
import { dueRefunds, findPayment, movePayment, putOffRefund, succeededPayment } from './payment.statements.js';

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
    private readonly relay: OrderRelay,
  ) {}

  /**
   * Refunds a paid order in full. Its status changes at once, the money follows.
   * @param unitsReturn whether its units are on sale again, or taken out of sale for good
   */
  async refundOrder(orderId: string, { unitsReturn, operatorId }: { unitsReturn: boolean; operatorId: string }): Promise<RefundOutcome> {
    const [order] = await select(this.dataSource, 'SELECT sale_id FROM orders WHERE id = ?', [orderId]);
    if (!order) return { outcome: 'not_found' };
    const outcome = await inTransaction(this.dataSource, async (manager): Promise<RefundOutcome> => {
      await lockSale(manager, text(order, 'sale_id'));
      const [row] = await select(manager, 'SELECT status FROM orders WHERE id = ? FOR UPDATE', [orderId]);
      const status = orderStatus(text(row ?? {}, 'status'));
      if (status === 'refunded') return { outcome: 'already_refunded' };
      const payment = status === 'paid' ? await succeededPayment(manager, orderId) : null;
      if (!payment) return { outcome: 'not_refundable', status };
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

  /** In the caller's transaction, which holds the order's row: the money of a payment has gone back, whoever says so first. */
  async book(manager: EntityManager, saleId: string, { id, orderId, status }: Payment): Promise<{ outcome: 'refunded' | 'repeated'; orderId: string }> {
    if (status === 'refunded') return { outcome: 'repeated', orderId };
    await movePayment(manager, id, { from: status, to: 'refunded', nowMs: this.clock.nowMs() });
    // Refunded at the provider itself: the order was paid by this payment, and is not any more.
    if (status === 'succeeded') await this.closing.closeRefunded(manager, { orderId, saleId, cause: `payment ${id}` });
    return { outcome: 'refunded', orderId };
  }

  private async refund(payment: Payment): Promise<boolean> {
    try {
      // First, so that a provider that does not answer is not asked by everyone at once.
      await putOffRefund(this.dataSource, payment.id, this.clock.nowMs());
      const provider = this.registry.find(payment.provider);
      if (!provider) throw new Error(`there is no provider ${payment.provider} any more`);
      const { status } = await provider.refund(payment);
      if (status === 'pending') return false;
      return await this.settle(payment);
    } catch (error) {
      this.logger.warn({ paymentId: payment.id, provider: payment.provider, reason: String(error), msg: 'refund put off' });
      return false;
    }
  }

  private async settle(payment: Payment): Promise<boolean> {
    const [order] = await select(this.dataSource, 'SELECT sale_id FROM orders WHERE id = ?', [payment.orderId]);
    await inTransaction(this.dataSource, async (manager) => {
      await lockSale(manager, text(order ?? {}, 'sale_id'));
      await select(manager, 'SELECT id FROM orders WHERE id = ? FOR UPDATE', [payment.orderId]);
      const current = await findPayment(manager, payment.id, payment.provider);
      if (current) await this.book(manager, text(order ?? {}, 'sale_id'), current);
    });
    this.logger.log({ paymentId: payment.id, orderId: payment.orderId, amountMinor: payment.amountMinor, currency: payment.currency, msg: 'refunded' });
    return true;
  }
}
