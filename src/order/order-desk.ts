import { Injectable } from '@nestjs/common';
import { operatorOrderAnswer, orderRecordAnswer, type OperatorOrderPageAnswer, type OrderRecordAnswer } from './dto/operator-order.answers.js';
import type { SearchOrdersQuery } from './dto/order.requests.js';
import { OrderHistory } from './order-history.js';
import { OrderSearch } from './order-search.js';
import { OrderReader } from './order.reader.js';

/** What operators read of orders. */
@Injectable()
export class OrderDesk {
  constructor(
    private readonly reader: OrderReader,
    private readonly orders: OrderSearch,
    private readonly histories: OrderHistory,
  ) {}

  /** @throws DomainError VALIDATION_FAILED for a cursor this service did not make, or a `from` after `to` */
  async search({ from, to, cursor, limit, ...filter }: SearchOrdersQuery): Promise<OperatorOrderPageAnswer> {
    const times = { ...(from !== undefined && { fromMs: Date.parse(from) }), ...(to !== undefined && { toMs: Date.parse(to) }) };
    const { orders, ...rest } = await this.orders.find({ ...filter, ...times }, { limit, ...(cursor !== undefined && { cursor }) });
    return { orders: orders.map(operatorOrderAnswer), ...rest };
  }

  /** @throws DomainError ORDER_NOT_FOUND */
  async show(orderId: string): Promise<OrderRecordAnswer> {
    const order = await this.reader.find(orderId);
    const [[found], payments, steps] = await Promise.all([this.orders.withNames([order]), this.histories.payments(orderId), this.histories.steps(orderId)]);
    return orderRecordAnswer(found ?? { order, username: null }, payments, steps);
  }
}
