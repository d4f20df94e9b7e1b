import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { RedisClock } from '../../infra/clock/index.js';
import { date, integer, inTransaction, select, text } from '../../infra/database/index.js';
import { DomainError } from '../../infra/errors.js';
import { orderWithPayment, type NextStep, type OrderWithPaymentAnswer } from '../dto/order.answers.js';
import { orderStatus, type OrderStatus } from '../order-status.js';
import { isOrderId } from '../order-id.js';
import { OrderReader } from '../order.reader.js';
import { PaymentConfirmation } from './payment-confirmation.js';
import type { Money, PaymentProvider, PaymentStart } from './payment-provider.js';
import { PaymentRegistry } from './payment-registry.js';
import type { Payment } from './payment.js';
import { findPayment, insertPayment, keepProviderRef, leadingPayment, pendingPayment } from './payment.statements.js';

type Opening =
  | { outcome: 'open'; payment: Payment }
  | { outcome: 'paid' }
  | { outcome: 'too_late' }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'closed'; status: Exclude<OrderStatus, 'awaiting_payment' | 'paid'> }
  | { outcome: 'not_found' };

/** Lets a shopper pay an order. */
@Injectable()
export class OrderPaying {
  private readonly logger = new Logger('Payment');

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
    private readonly reader: OrderReader,
    private readonly registry: PaymentRegistry,
    private readonly confirmation: PaymentConfirmation,
  ) {}

  /**
   * Starts a payment with the provider (the default one if none is named), or takes up the one that is pending; on a paid order it only
   * answers. The provider confirms later, by its webhook.
   * @throws DomainError VALIDATION_FAILED (no such provider, or one that can't take this amount), ORDER_NOT_FOUND, ORDER_NOT_PAYABLE, UNAVAILABLE (the provider can't be reached)
   */
  async pay(orderId: string, userId: string, providerName?: string | null): Promise<OrderWithPaymentAnswer> {
    const provider = this.providerOf(providerName);
    const opening: Opening = isOrderId(orderId) ? await this.open(orderId, userId, provider) : { outcome: 'not_found' };
    const next = opening.outcome === 'open' ? await this.start(provider, opening.payment) : refuseUnlessPaid(opening);
    return orderWithPayment(await this.reader.get(orderId, userId), await this.shown(orderId, opening), next);
  }

  private providerOf(name: string | null | undefined): PaymentProvider {
    const provider = this.registry.choose(name);
    if (provider) return provider;
    throw unfitProvider(`provider must be one of: ${this.registry.choices.join(', ')}`);
  }

  /** The order's row is locked, so that two parallel calls find or make one payment. Index: PRIMARY of orders. */
  private open(orderId: string, userId: string, provider: PaymentProvider): Promise<Opening> {
    return inTransaction(this.dataSource, async (manager) => {
      const [order] = await select(
        manager,
        'SELECT status, amount_minor, currency, pay_before FROM orders WHERE id = ? AND user_id = ? FOR UPDATE',
        [orderId, userId],
      );
      if (!order) return { outcome: 'not_found' };
      const status = orderStatus(text(order, 'status'));
      if (status === 'paid') return { outcome: 'paid' };
      if (status !== 'awaiting_payment') return { outcome: 'closed', status };
      if (date(order, 'pay_before').getTime() <= this.clock.nowMs()) return { outcome: 'too_late' };
      const asked = { orderId, provider: provider.name, amountMinor: integer(order, 'amount_minor'), currency: text(order, 'currency') };
      const reason = provider.refusal?.(asked) ?? null;
      if (reason !== null) return { outcome: 'refused', reason };
      return { outcome: 'open', payment: (await pendingPayment(manager, orderId, provider.name)) ?? (await this.insert(manager, asked)) };
    });
  }

  private async insert(manager: EntityManager, asked: Money & Pick<Payment, 'orderId' | 'provider'>): Promise<Payment> {
    const payment: Payment = { ...asked, id: uuidv7(), providerRef: null, status: 'pending' };
    await insertPayment(manager, payment, this.clock.nowMs());
    return payment;
  }

  private async start(provider: PaymentProvider, payment: Payment): Promise<NextStep> {
    const started = await this.ask(provider, payment);
    if (started.providerRef !== undefined) await keepProviderRef(this.dataSource, payment.id, started.providerRef);
    if (started.status !== 'pending') {
      const { amountMinor, currency } = started.received ?? payment;
      const eventId = `start:${payment.id}:${started.status}`;
      await this.confirmation.apply(provider.name, { eventId, paymentId: payment.id, result: started.status, amountMinor, currency });
    }
    return started;
  }

  private async ask(provider: PaymentProvider, payment: Payment): Promise<PaymentStart> {
    try {
      return await provider.start(payment);
    } catch (error) {
      this.logger.error({ provider: provider.name, paymentId: payment.id, err: error, msg: 'payment not started' });
      throw new DomainError('UNAVAILABLE', 'The payment provider can not be reached right now; try again.', {}, { retryAfterMs: 1000, cause: error });
    }
  }

  /** The payment this call was about; on a paid order the one that paid it. */
  private async shown(orderId: string, opening: Opening): Promise<Payment | null> {
    const leading = await leadingPayment(this.dataSource, orderId);
    if (opening.outcome !== 'open' || leading?.status === 'succeeded') return leading;
    return findPayment(this.dataSource, opening.payment.id, opening.payment.provider);
  }
}

const unfitProvider = (message: string): DomainError => new DomainError('VALIDATION_FAILED', message, { errors: [{ field: 'provider', message }] });

function refuseUnlessPaid(opening: Exclude<Opening, { outcome: 'open' }>): undefined {
  switch (opening.outcome) {
    case 'paid':
      return undefined;
    case 'not_found':
      throw new DomainError('ORDER_NOT_FOUND', 'You have no such order.');
    case 'refused':
      throw unfitProvider(opening.reason);
    case 'too_late':
      throw new DomainError('ORDER_NOT_PAYABLE', 'The time to pay this order is over.');
    case 'closed':
      throw new DomainError('ORDER_NOT_PAYABLE', `The order is ${opening.status} and can't be paid any more.`);
  }
}
