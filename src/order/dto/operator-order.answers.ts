import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { OrderStep, PaymentRecord, ProviderWord } from '../order-history.js';
import type { FoundOrder } from '../order-search.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-status.js';
import { PAYMENT_STATUSES, type PaymentStatus } from '../payment/payment.js';
import { iso, OrderAnswer, orderAnswer } from './order.answers.js';

export class OrderUserAnswer {
  @ApiProperty()
  id!: string;

  @ApiPropertyOptional({ description: 'absent when the account is gone' })
  username?: string;
}

/** An order with whose it is. */
export class OperatorOrderAnswer extends OrderAnswer {
  @ApiProperty({ type: OrderUserAnswer })
  user!: OrderUserAnswer;
}

export class OperatorOrderPageAnswer {
  @ApiProperty({ type: [OperatorOrderAnswer] })
  orders!: OperatorOrderAnswer[];

  @ApiPropertyOptional({ description: 'absent on the last page' })
  nextCursor?: string;
}

export class ProviderWordAnswer {
  @ApiProperty({ description: 'what the provider calls it' })
  eventId!: string;

  @ApiProperty({ example: 'succeeded' })
  result!: string;

  @ApiProperty({ type: 'integer', description: 'minor units, as the provider said' })
  amountMinor!: number;

  @ApiProperty({ example: 'EUR' })
  currency!: string;

  @ApiPropertyOptional({ description: 'of a refund that failed: why, in the words of the provider', example: 'expired_or_canceled_card' })
  reason?: string;

  @ApiProperty({ format: 'date-time' })
  receivedAt!: string;
}

export class PaymentRecordAnswer {
  @ApiProperty()
  id!: string;

  @ApiProperty({ example: 'sandbox' })
  provider!: string;

  @ApiPropertyOptional({ description: 'what the provider calls the payment' })
  providerRef?: string;

  @ApiProperty({ enum: PAYMENT_STATUSES })
  status!: PaymentStatus;

  @ApiProperty({ type: 'integer', description: 'minor units' })
  amountMinor!: number;

  @ApiProperty({ example: 'EUR' })
  currency!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', description: 'when it got the status it has' })
  updatedAt!: string;

  @ApiProperty({ type: 'integer', description: 'how often the provider was asked to send the money back' })
  refundTries!: number;

  @ApiPropertyOptional({ format: 'date-time', description: 'while money is due back: when the provider is asked again' })
  nextRefundAt?: string;

  @ApiProperty({ type: [ProviderWordAnswer], description: 'what the provider said, each event once' })
  events!: ProviderWordAnswer[];
}

export class OrderStepAnswer {
  @ApiProperty({ format: 'date-time' })
  at!: string;

  @ApiPropertyOptional({ enum: ORDER_STATUSES, description: 'absent where the order came to be' })
  from?: OrderStatus;

  @ApiProperty({ enum: ORDER_STATUSES })
  to!: OrderStatus;

  @ApiProperty({ description: 'who or what decided', example: 'shopper' })
  cause!: string;
}

/** Everything that is known of an order. */
export class OrderRecordAnswer extends OperatorOrderAnswer {
  @ApiProperty({ type: [PaymentRecordAnswer], description: 'the first one first' })
  payments!: PaymentRecordAnswer[];

  @ApiProperty({ type: [OrderStepAnswer], description: 'the first step first' })
  history!: OrderStepAnswer[];
}

/** An order of a search in the form the API shows. */
export function operatorOrderAnswer({ order, username }: FoundOrder): OperatorOrderAnswer {
  return { ...orderAnswer(order), user: username === null ? { id: order.userId } : { id: order.userId, username } };
}

/** An order with its money and its history in the form the API shows. */
export function orderRecordAnswer(found: FoundOrder, payments: PaymentRecord[], steps: OrderStep[]): OrderRecordAnswer {
  return { ...operatorOrderAnswer(found), payments: payments.map(paymentAnswer), history: steps.map(stepAnswer) };
}

function paymentAnswer(payment: PaymentRecord): PaymentRecordAnswer {
  const { id, provider, providerRef, status, amountMinor, currency, refundTries, nextRefundAtMs } = payment;
  return {
    id, provider, status, amountMinor, currency, refundTries,
    ...(providerRef !== null && { providerRef }),
    ...(nextRefundAtMs !== null && { nextRefundAt: iso(nextRefundAtMs) }),
    createdAt: iso(payment.createdAtMs),
    updatedAt: iso(payment.updatedAtMs),
    events: payment.events.map(wordAnswer),
  };
}

function wordAnswer({ receivedAtMs, reason, ...word }: ProviderWord): ProviderWordAnswer {
  return { ...word, ...(reason !== null && { reason }), receivedAt: iso(receivedAtMs) };
}

function stepAnswer({ atMs, from, to, cause }: OrderStep): OrderStepAnswer {
  return { at: iso(atMs), ...(from !== null && { from }), to, cause };
}
