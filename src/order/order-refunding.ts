import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DomainError } from '../infra/errors.js';
import { orderWithPayment, type OrderWithPaymentAnswer } from './dto/order.answers.js';
import { isOrderId } from './order-id.js';
import { OrderReader } from './order.reader.js';
import { leadingPayment } from './payment/payment.statements.js';
import { Refunding } from './payment/refunding.js';

/** Lets an operator refund an order. */
@Injectable()
export class OrderRefunding {
  constructor(
    private readonly dataSource: DataSource,
    private readonly reader: OrderReader,
    private readonly refunding: Refunding,
  ) {}

  /** @throws DomainError ORDER_NOT_FOUND, ORDER_NOT_REFUNDABLE (with the order's status) unless it is paid or refunded already */
  async refund(orderId: string, how: { unitsReturn: boolean; operatorId: string }): Promise<OrderWithPaymentAnswer> {
    const result = isOrderId(orderId) ? await this.refunding.refundOrder(orderId, how) : ({ outcome: 'not_found' } as const);
    if (result.outcome === 'not_found') throw new DomainError('ORDER_NOT_FOUND', 'There is no such order.');
    if (result.outcome === 'not_refundable') {
      throw new DomainError('ORDER_NOT_REFUNDABLE', `The order is ${result.status}: there is nothing to refund.`, { orderStatus: result.status });
    }
    return orderWithPayment(await this.reader.find(orderId), await leadingPayment(this.dataSource, orderId));
  }
}
