import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsNotEmpty, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { DELIVERY_STATUSES, EVENT_TYPES, type DeliveryStatus, type EventType } from '../event-types.js';

const MOST_DELIVERIES = 100;
/** Unlike with class-validator's `@IsOptional()`, `null` is not the same as left out. */
const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

export class CreateWebhookDto {
  @ApiProperty({ maxLength: 2000, example: 'https://shop.example/hooks/seckill', description: 'https, on the public internet' })
  @MaxLength(2000)
  @IsNotEmpty()
  @IsString()
  url!: string;

  @ApiPropertyOptional({ enum: EVENT_TYPES, isArray: true, description: 'All, also those to come, when left out' })
  @IsIn(EVENT_TYPES, { each: true })
  @ArrayUnique()
  @ArrayMinSize(1)
  @IsArray()
  @MayBeAbsent()
  types?: EventType[];
}

export class ListDeliveriesDto {
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES })
  @IsIn(DELIVERY_STATUSES)
  @MayBeAbsent()
  status?: DeliveryStatus;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before' })
  @Matches(/^[1-9]\d{0,18}$/, { message: 'cursor must be one that a page gave' })
  @MayBeAbsent()
  cursor?: string;
}

export class ReplayDto {
  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: MOST_DELIVERIES, description: 'Those to send again; all dead ones when left out' })
  @Matches(/^[1-9]\d{0,18}$/, { each: true, message: 'each of deliveryIds must be the id of a delivery' })
  @ArrayMaxSize(MOST_DELIVERIES)
  @ArrayMinSize(1)
  @IsArray()
  @MayBeAbsent()
  deliveryIds?: string[];
}
