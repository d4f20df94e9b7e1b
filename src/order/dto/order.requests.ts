import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, MaxLength } from 'class-validator';

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

/** Cancelling needs nothing; fields are refused like everywhere. */
export class CancelOrderRequest {}

export class RefundOrderRequest {
  @ApiPropertyOptional({ default: true, description: 'false takes the units out of sale for good' })
  @IsOptional()
  @IsBoolean()
  returnUnits?: boolean;
}
