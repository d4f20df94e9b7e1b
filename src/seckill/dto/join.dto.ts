import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsInt, IsObject, IsString, Matches, Max, Min, ValidateNested } from 'class-validator';

const MAX_LINES = 10;
const MAX_QUANTITY = 1000;

export class BasketLineDto {
  @ApiProperty({ example: '1', description: 'Id of a sale item' })
  @Matches(/^[1-9]\d{0,18}$/, { message: 'itemId must be the id of a sale item' })
  @IsString({ message: 'itemId must be a string' })
  itemId!: string;

  @ApiProperty({ minimum: 1, maximum: MAX_QUANTITY })
  // The fault that is told is that of the decorator next to the field, so what it must be at all stands there.
  @Max(MAX_QUANTITY) @Min(1) @IsInt()
  quantity!: number;
}

export class JoinDto {
  @ApiProperty({ type: [BasketLineDto], minItems: 1, maxItems: MAX_LINES, description: 'The basket: all of it, or nothing' })
  @ValidateNested({ each: true }) @Type(() => BasketLineDto)
  @ArrayUnique((line: unknown) => (typeof line === 'object' && line !== null && 'itemId' in line ? line.itemId : line), {
    message: 'an item may stand in the basket once; ask for a quantity instead',
  })
  @IsObject({ each: true, message: 'each line of the basket must be an object' })
  @ArrayMaxSize(MAX_LINES) @ArrayMinSize(1) @IsArray()
  items!: BasketLineDto[];
}
