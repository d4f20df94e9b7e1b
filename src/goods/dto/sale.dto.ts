import { ApiProperty, ApiPropertyOptional, PartialType, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsNotEmpty, IsObject, IsString, Matches, MaxLength, ValidateNested } from 'class-validator';
import { SALE_MODES, type SaleMode } from '../entities/sale.entity.js';
import type { SaleState } from '../sale-state.js';
import { AmountMinor, Instant, MayBeAbsent, OptionalNumber, Title, WholeNumber } from './fields.js';
import { SALE_STATES } from './sale.answers.js';

const MAX_UNITS = 1_000_000;
/** As many as one line of a basket may ask for; `MAX_MINOR` is reckoned from it. */
const MAX_PER_USER = 1000;
const CLAIMS = ['go_on', 'stop'] as const;
const PUBLIC_STATES = SALE_STATES.filter((state) => state !== 'draft');

export class CreateSaleItemDto {
  @ApiProperty({ example: '7', description: 'A goods; its currency is the one of the price' })
  @MaxLength(20)
  @IsNotEmpty()
  @IsString()
  goodsId!: string;

  @AmountMinor()
  priceMinor!: number;

  @WholeNumber(1, MAX_UNITS)
  stock!: number;

  @WholeNumber(1, MAX_PER_USER)
  limitPerUser!: number;
}

export class CreateSaleDto {
  @Title()
  title!: string;

  @Instant()
  startsAt!: string;

  @Instant()
  endsAt!: string;

  @ApiPropertyOptional({ enum: SALE_MODES, default: 'queue' })
  @IsIn(SALE_MODES)
  @MayBeAbsent()
  mode?: SaleMode;

  @OptionalNumber(1, 86_400, 'How long an order may stay unpaid; the setting PAYMENT_TIMEOUT_SECONDS when left out')
  paymentTimeoutSeconds?: number;

  @OptionalNumber(0, 10_000_000, 'Tickets that may wait once everything is sold; 0 when left out')
  standbyLimit?: number;

  @OptionalNumber(1, 64, 'Shards the sale is spread over, at most the stock of each item; 1 when left out')
  shards?: number;

  @ApiProperty({ type: [CreateSaleItemDto], minItems: 1, maxItems: 100 })
  @Type(() => CreateSaleItemDto)
  @ValidateNested({ each: true })
  @IsObject({ each: true, message: 'each item must be an object' })
  @ArrayMaxSize(100)
  @ArrayMinSize(1)
  @IsArray()
  items!: CreateSaleItemDto[];
}

const EDITABLE = ['title', 'startsAt', 'endsAt', 'paymentTimeoutSeconds', 'standbyLimit'] as const;

/** What is given is changed; `startsAt` until the sale opens, the last two only while it is a draft. */
export class EditSaleDto extends PartialType(PickType(CreateSaleDto, EDITABLE), { skipNullProperties: false }) {}

export class PauseSaleDto {
  @ApiPropertyOptional({ enum: CLAIMS, default: 'go_on', description: 'Whether those in line are served meanwhile' })
  @IsIn(CLAIMS)
  @MayBeAbsent()
  claims?: (typeof CLAIMS)[number];
}

export class EditSaleItemDto {
  @WholeNumber(1, MAX_PER_USER)
  limitPerUser!: number;
}

export class ListSalesDto {
  @ApiPropertyOptional({ enum: PUBLIC_STATES })
  @IsIn(PUBLIC_STATES)
  @MayBeAbsent()
  state?: SaleState;
}

export class ListOperatorSalesDto {
  @ApiPropertyOptional({ enum: SALE_STATES })
  @IsIn(SALE_STATES)
  @MayBeAbsent()
  state?: SaleState;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before' })
  @Matches(/^[1-9]\d{0,18}$/, { message: 'cursor must be one that a page gave' })
  @MayBeAbsent()
  cursor?: string;
}
