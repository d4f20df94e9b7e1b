import { ApiProperty } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';

export const MOST_SHOPPERS = 20_000;

export class StartRehearsalDto {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MOST_SHOPPERS, description: 'How many shoppers come, each for one unit' })
  @Max(MOST_SHOPPERS) @Min(1) @IsInt()
  shoppers!: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: MOST_SHOPPERS, description: 'How many units there are' })
  @Max(MOST_SHOPPERS) @Min(1) @IsInt()
  stock!: number;
}
