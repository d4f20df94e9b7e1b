import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { Instant, MayBeAbsent } from '../../goods/index.js';
import { OPEN_REFUNDS, type OpenRefund } from '../order-search.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-status.js';

const ID = /^[1-9]\d{0,18}$/;
/** Orders of one page of a search. */
const [PAGE, LARGEST_PAGE] = [20, 100];

export class ListOrdersQuery {
  @ApiPropertyOptional({ description: '`nextCursor` of the page before' })
  @IsOptional() @IsString() @MaxLength(100)
  cursor?: string;
}

export class PayOrderRequest {
  @ApiPropertyOptional({ description: 'name of the payment provider; the sandbox if left out', example: 'sandbox' })
  @IsOptional() @IsString() @MaxLength(24)
  provider?: string | null;
}

export class RefundOrderRequest {
  @ApiPropertyOptional({ default: true, description: 'false takes the units out of sale for good' })
  @IsOptional()
  @IsBoolean()
  returnUnits?: boolean;
}

/** What an operator looks for: orders that match all that is given. */
export class SearchOrdersQuery {
  @ApiPropertyOptional({ enum: ORDER_STATUSES })
  @MayBeAbsent() @IsIn(ORDER_STATUSES)
  status?: OrderStatus;

  @ApiPropertyOptional({ enum: OPEN_REFUNDS, description: 'of which money is still due back, or could not be sent back' })
  @MayBeAbsent() @IsIn(OPEN_REFUNDS)
  refund?: OpenRefund;

  @ApiPropertyOptional()
  @MayBeAbsent() @Matches(ID, { message: '$property must be an id' })
  userId?: string;

  @ApiPropertyOptional({ description: 'whole; upper and lower case count as the same' })
  @MayBeAbsent() @IsString() @MinLength(1) @MaxLength(64)
  username?: string;

  @ApiPropertyOptional()
  @MayBeAbsent() @Matches(ID, { message: '$property must be an id' })
  saleId?: string;

  @ApiPropertyOptional({ description: 'made at this moment or later' })
  @MayBeAbsent() @Instant()
  from?: string;

  @ApiPropertyOptional({ description: 'made before this moment' })
  @MayBeAbsent() @Instant()
  to?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before, with the same filters' })
  @MayBeAbsent() @IsString() @MaxLength(100)
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: LARGEST_PAGE, default: PAGE })
  @Type(() => Number) @IsInt() @Min(1) @Max(LARGEST_PAGE)
  limit: number = PAGE;
}
