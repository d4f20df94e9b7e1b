import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { REFUND_STATES, type Order, type OrderPage, type RefundState } from '../order.reader.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-status.js';
import { PAYMENT_STATUSES, type Payment, type PaymentStatus } from '../payment/payment.js';

export class OrderLineAnswer {
  @ApiProperty({ description: 'id of the sale item' })
  itemId!: string;

  @ApiProperty()
  goodsId!: string;

  @ApiProperty({ description: 'as it was when the order was made' })
  title!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  quantity!: number;

  @ApiProperty({ type: 'integer', description: 'price of one unit in minor units, as it was when the order was made' })
  unitPriceMinor!: number;
}

export class OrderAnswer {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  saleId!: string;

  @ApiProperty({ description: 'the ticket the order came from' })
  ticketId!: string;

  @ApiProperty({ enum: ORDER_STATUSES })
  status!: OrderStatus;

  @ApiProperty({ type: 'integer', description: 'minor units' })
  amountMinor!: number;

  @ApiProperty({ example: 'CNY' })
  currency!: string;

  @ApiProperty({ type: [OrderLineAnswer] })
  lines!: OrderLineAnswer[];

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', description: 'an order unpaid at this moment expires' })
  payBefore!: string;

  @ApiPropertyOptional({ format: 'date-time' })
  paidAt?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'when it expired, or was cancelled or refunded' })
  closedAt?: string;

  @ApiPropertyOptional({ enum: REFUND_STATES, description: 'money that was paid for this order is on its way back (`due`), could not be sent back, so that the shop has to see to it (`failed`), or has gone back (`done`)' })
  refund?: RefundState;

  @ApiPropertyOptional({ format: 'date-time', description: 'when all of that money had gone back' })
  refundedAt?: string;
}

export class OrderPageAnswer {
  @ApiProperty({ type: [OrderAnswer] })
  orders!: OrderAnswer[];

  @ApiPropertyOptional({ description: 'absent on the last page' })
  nextCursor?: string;
}

export class PaymentAnswer {
  @ApiProperty()
  id!: string;

  @ApiProperty({ example: 'sandbox' })
  provider!: string;

  @ApiProperty({ enum: PAYMENT_STATUSES })
  status!: PaymentStatus;

  @ApiPropertyOptional({ description: 'where the shopper goes on, if the provider has a page of its own' })
  redirectUrl?: string;

  @ApiPropertyOptional({ description: "with Stripe: what the shopper's page hands to Stripe.js to pay. For this shopper only; never log or keep it" })
  clientSecret?: string;
}

export class OrderWithPaymentAnswer extends OrderAnswer {
  @ApiPropertyOptional({ type: PaymentAnswer })
  payment?: PaymentAnswer;
}

/** An order in the form the API shows. */
export function orderAnswer(order: Order): OrderAnswer {
  const { id, saleId, ticketId, status, amountMinor, currency, lines, refund } = order;
  const answer: OrderAnswer = { id, saleId, ticketId, status, amountMinor, currency, lines, createdAt: iso(order.createdAtMs), payBefore: iso(order.payBeforeMs) };
  if (order.paidAtMs !== null) answer.paidAt = iso(order.paidAtMs);
  if (order.closedAtMs !== null) answer.closedAt = iso(order.closedAtMs);
  if (refund !== null) answer.refund = refund;
  if (order.refundedAtMs !== null) answer.refundedAt = iso(order.refundedAtMs);
  return answer;
}

/** A page of orders in the form the API shows. */
export function orderPageAnswer(page: OrderPage): OrderPageAnswer {
  return { ...page, orders: page.orders.map(orderAnswer) };
}

/** How a shopper goes on with a pending payment. */
export type NextStep = Pick<PaymentAnswer, 'redirectUrl' | 'clientSecret'>;

/** An order with the payment that tells most about it, if there is one, and how to go on with it while it is pending. */
export function orderWithPayment(order: Order, payment: Payment | null, { redirectUrl, clientSecret }: NextStep = {}): OrderWithPaymentAnswer {
  if (payment === null) return orderAnswer(order);
  const { id, provider, status } = payment;
  const answer: PaymentAnswer = { id, provider, status };
  if (status === 'pending' && redirectUrl !== undefined) answer.redirectUrl = redirectUrl;
  if (status === 'pending' && clientSecret !== undefined) answer.clientSecret = clientSecret;
  return { ...orderAnswer(order), payment: answer };
}

/** Whether an answer bears a secret of the shopper's, which must not be kept. */
export const bearsSecret = (answer: OrderWithPaymentAnswer): boolean => answer.payment?.clientSecret !== undefined;

/** A moment in the form the API shows. */
export const iso = (epochMs: number): string => new Date(epochMs).toISOString();
