import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min, NotEquals } from 'class-validator';

const MOST_UNITS = 1_000_000;

export class StockChangeDto {
  @ApiProperty({ type: 'integer', description: 'Units to add (positive) or withdraw (negative)', minimum: -MOST_UNITS, maximum: MOST_UNITS })
  @NotEquals(0) @Max(MOST_UNITS) @Min(-MOST_UNITS) @IsInt()
  delta!: number;
}

/** A sale item after its stock was changed. */
export class StockView {
  @ApiProperty() itemId!: string;
  @ApiProperty({ type: 'integer', description: 'Units that may be sold' }) stock!: number;
  @ApiProperty({ type: 'integer', description: 'Units held by live orders' }) sold!: number;
}
