import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainError } from '../infra/errors.js';
import { orderWithPayment, type OrderWithPaymentAnswer } from './dto/order.answers.js';
import { OrderClosing } from './order-closing.js';
import { OrderRelay } from './order-relay.js';
import { isOrderId } from './order-id.js';
import { OrderReader } from './order.reader.js';
import { leadingPayment } from './payment/payment.statements.js';

/** Lets a shopper give an unpaid order up. */
@Injectable()
export class OrderCancelling {
  constructor(
    private readonly dataSource: DataSource,
    private readonly reader: OrderReader,
    private readonly closing: OrderClosing,
    private readonly relay: OrderRelay,
  ) {}

  /**
   * Cancels the order and waits until its units can be bought again. Cancelling a cancelled order is answered like the first time.
   * @throws DomainError ORDER_NOT_FOUND, ORDER_NOT_CANCELLABLE (with the order's status)
   */
  async cancel(orderId: string, userId: string): Promise<OrderWithPaymentAnswer> {
    const result = isOrderId(orderId) ? await this.closing.cancel(orderId, userId) : ({ outcome: 'not_found' } as const);
    if (result.outcome === 'not_found') throw new DomainError('ORDER_NOT_FOUND', 'You have no such order.');
    if (result.outcome === 'not_cancellable') {
      throw new DomainError('ORDER_NOT_CANCELLABLE', `The order is ${result.status} and can't be cancelled.`, { orderStatus: result.status });
    }
    await this.relay.relayOrders([orderId]);
    return orderWithPayment(await this.reader.get(orderId, userId), await leadingPayment(this.dataSource, orderId));
  }
}
