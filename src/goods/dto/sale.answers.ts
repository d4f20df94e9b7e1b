import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { SALE_MODES, type SaleMode } from '../entities/sale.entity.js';
import type { SaleState } from '../sale-state.js';

export const SALE_STATES = ['draft', 'scheduled', 'live', 'paused', 'ended'] as const satisfies SaleState[];

export class SaleItemDto {
  @ApiProperty({ example: '12' })
  id!: string;

  @ApiProperty({ example: '7' })
  goodsId!: string;

  @ApiProperty()
  title!: string;

  @ApiProperty({ type: String, nullable: true })
  imageUrl!: string | null;

  @ApiProperty({ type: 'integer' })
  listPriceMinor!: number;

  @ApiProperty({ type: 'integer' })
  priceMinor!: number;

  @ApiProperty({ example: 'EUR' })
  currency!: string;

  @ApiProperty({ type: 'integer' })
  stock!: number;

  @ApiProperty({ type: 'integer', description: 'Units on the stock lists, up to half a second old' })
  remaining!: number;

  @ApiProperty({ type: 'integer' })
  limitPerUser!: number;
}

/** A sale as everyone sees it. */
export class SaleDto {
  @ApiProperty({ example: '3' })
  id!: string;

  @ApiProperty()
  title!: string;

  @ApiProperty({ format: 'date-time' })
  startsAt!: string;

  @ApiProperty({ format: 'date-time' })
  endsAt!: string;

  @ApiProperty({ enum: SALE_STATES, enumName: 'SaleState' })
  state!: SaleState;

  @ApiProperty({ format: 'date-time', description: 'The clock by which the sale opens and ends' })
  serverTime!: string;

  @ApiProperty({ type: [SaleItemDto] })
  items!: SaleItemDto[];
}

export class SalesDto {
  @ApiProperty({ type: [SaleDto], description: 'At most 100, latest start first' })
  sales!: SaleDto[];
}

export class OperatorSaleItemDto extends SaleItemDto {
  @ApiProperty({ type: 'integer', description: 'Units held by live orders' })
  sold!: number;
}

/** A sale as operators see it. */
export class OperatorSaleDto extends SaleDto {
  @ApiProperty({ enum: SALE_MODES })
  mode!: SaleMode;

  @ApiProperty({ type: 'integer' })
  paymentTimeoutSeconds!: number;

  @ApiProperty({ type: 'integer' })
  standbyLimit!: number;

  @ApiProperty({ type: 'integer' })
  shards!: number;

  @ApiProperty({ enum: ['go_on', 'stop'], description: 'Whether those in line are served while the sale is paused' })
  claims!: 'go_on' | 'stop';

  @ApiPropertyOptional({ format: 'date-time', description: 'Since when the sale is over and nothing of it is under way any more' })
  closedAt?: string;

  @ApiProperty({ type: [OperatorSaleItemDto] })
  declare items: OperatorSaleItemDto[];
}

export class OperatorSalesDto {
  @ApiProperty({ type: [OperatorSaleDto], description: 'Newest first' })
  sales!: OperatorSaleDto[];

  @ApiPropertyOptional({ description: 'Where the next page begins; absent on the last one' })
  nextCursor?: string;
}
