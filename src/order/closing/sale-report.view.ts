import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class ReportItemView {
  @ApiProperty() itemId!: string;
  @ApiProperty() title!: string;
  @ApiProperty({ type: 'integer', description: 'Units that could be sold' }) stock!: number;
  @ApiProperty({ type: 'integer', description: 'Units of orders that are paid, or still may be' }) sold!: number;
  @ApiProperty({ type: 'integer' }) left!: number;
}

export class WaitView {
  @ApiProperty({ type: 'integer' }) p50!: number;
  @ApiProperty({ type: 'integer' }) p90!: number;
  @ApiProperty({ type: 'integer' }) p99!: number;
  @ApiProperty({ type: 'integer' }) longest!: number;
}

const COUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;

/** How a sale went. */
export class SaleReportView {
  @ApiProperty() saleId!: string;
  @ApiProperty() title!: string;
  @ApiProperty({ format: 'date-time' }) startsAt!: string;
  @ApiProperty({ format: 'date-time' }) endsAt!: string;
  @ApiPropertyOptional({ format: 'date-time', description: 'When the sale ended: at endsAt, or when an operator ended it' })
  endedAt?: string;
  @ApiPropertyOptional({ format: 'date-time', description: 'When these became the final figures; absent while they may still change' })
  closedAt?: string;
  @ApiProperty({ type: 'integer', description: 'Joins that were let in; a repeat with the same idempotency key is none' }) joins!: number;
  @ApiProperty({ ...COUNTS, description: 'Joins that were refused, by code' }) refusals!: Record<string, number>;
  @ApiProperty({ type: 'integer', description: 'Tickets that became orders, were sold out or rejected; not those that left, or stand by' }) decided!: number;
  @ApiProperty({ ...COUNTS, description: 'The same by outcome' }) decisions!: Record<string, number>;
  @ApiProperty({ ...COUNTS, description: 'Orders by status' }) orders!: Record<string, number>;
  @ApiProperty({ example: 'EUR' }) currency!: string;
  @ApiProperty({ type: 'integer', description: 'Of the orders that are paid' }) paidMinor!: number;
  @ApiProperty({ type: 'integer' }) refundedMinor!: number;
  @ApiProperty({ type: [ReportItemView] }) items!: ReportItemView[];
  @ApiPropertyOptional({ format: 'date-time', description: 'When live orders first held every unit, also where units came back later; to the second where the stock was changed' }) soldOutAt?: string;
  @ApiPropertyOptional({ description: 'From startsAt on, or from the publication where that came later' }) secondsToSellOut?: number;
  @ApiPropertyOptional({ type: WaitView, description: 'Milliseconds from join to order' }) waitMs?: WaitView;
}
