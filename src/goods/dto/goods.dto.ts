import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { AmountMinor, Currency, HttpUrl, MayBeAbsent, Title } from './fields.js';

export class CreateGoodsDto {
  @Title()
  title!: string;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 10_000 })
  @MaxLength(10_000)
  @IsString()
  @IsOptional()
  description?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 2000, example: 'https://shop.example/kettle.jpg' })
  @HttpUrl()
  @IsOptional()
  imageUrl?: string | null;

  @AmountMinor()
  listPriceMinor!: number;

  @Currency()
  currency!: string;
}

/** What is given is changed; `null` empties the description or the image. */
export class EditGoodsDto extends PartialType(CreateGoodsDto, { skipNullProperties: false }) {}

export class ListGoodsDto {
  @ApiPropertyOptional({ description: '`nextCursor` of the page before' })
  @Matches(/^[1-9]\d{0,18}$/, { message: 'cursor must be one that a page gave' })
  @MayBeAbsent()
  cursor?: string;
}

export class GoodsDto {
  @ApiProperty({ example: '7' })
  id!: string;

  @ApiProperty()
  title!: string;

  @ApiProperty({ type: String, nullable: true })
  description!: string | null;

  @ApiProperty({ type: String, nullable: true })
  imageUrl!: string | null;

  @ApiProperty({ type: 'integer' })
  listPriceMinor!: number;

  @ApiProperty({ example: 'EUR' })
  currency!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

export class GoodsPageDto {
  @ApiProperty({ type: [GoodsDto], description: 'Newest first' })
  goods!: GoodsDto[];

  @ApiPropertyOptional({ description: 'Where the next page begins; absent on the last one' })
  nextCursor?: string;
}
