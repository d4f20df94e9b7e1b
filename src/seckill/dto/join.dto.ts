import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import type { BasketLine } from '../seckill.scripts.js';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsInt, IsObject, IsString, Matches, Max, Min, ValidateNested } from 'class-validator';

const MAX_LINES = 10;
const MAX_QUANTITY = 1000;
const ITEM_ID = /^[1-9]\d{0,18}$/;

export class BasketLineDto {
  @ApiProperty({ example: '1', description: 'Id of a sale item' })
  @Matches(ITEM_ID, { message: 'itemId must be the id of a sale item' })
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

/**
 * The lines of a body that is beyond doubt a `JoinDto`; null for anything else, which need not be wrong. It may only be stricter than the
 * decorators above, and costs a hundredth of them.
 */
export function plainBasket(body: unknown): BasketLine[] | null {
  if (!hasOnly(body, 'items') || !Array.isArray(body.items)) return null;
  const lines: unknown[] = body.items;
  if (lines.length < 1 || lines.length > MAX_LINES) return null;
  const basket: BasketLine[] = [];
  for (const line of lines) {
    if (!hasOnly(line, 'itemId', 'quantity')) return null;
    const { itemId, quantity } = line;
    if (typeof itemId !== 'string' || !ITEM_ID.test(itemId)) return null;
    if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) return null;
    if (basket.some((other) => other.itemId === itemId)) return null;
    basket.push({ itemId, quantity });
  }
  return basket;
}

function hasOnly<K extends string>(value: unknown, ...names: K[]): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}
