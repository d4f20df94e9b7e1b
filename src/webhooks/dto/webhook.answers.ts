import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DELIVERY_STATUSES, EVENT_TYPES, type DeliveryStatus, type EventType } from '../event-types.js';

export class WebhookDto {
  @ApiProperty() id!: string;
  @ApiProperty() url!: string;
  @ApiProperty({ enum: EVENT_TYPES, isArray: true }) types!: EventType[];
  @ApiProperty({ format: 'date-time', description: 'Only what happens from then on is sent' }) createdAt!: string;
}

export class NewWebhookDto extends WebhookDto {
  @ApiProperty({ example: 'whsec_…', description: 'Signs every message; shown this once' }) secret!: string;
}

export class ListedWebhookDto extends WebhookDto {
  @ApiProperty({ type: 'integer', description: 'Deliveries on their way' }) pending!: number;
  @ApiProperty({ type: 'integer', description: 'Deliveries given up' }) dead!: number;
}

export class WebhooksDto {
  @ApiProperty({ type: [ListedWebhookDto] }) webhooks!: ListedWebhookDto[];
}

export class DeliveryDto {
  @ApiProperty() id!: string;
  @ApiProperty({ description: 'The `webhook-id` of the message' }) eventId!: string;
  @ApiProperty({ enum: EVENT_TYPES }) type!: EventType;
  @ApiProperty({ enum: DELIVERY_STATUSES }) status!: DeliveryStatus;
  @ApiProperty({ type: 'integer', description: 'Tries so far' }) attempts!: number;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiPropertyOptional({ format: 'date-time', description: 'Absent while an earlier event of the same order or sale is not delivered' }) nextTryAt?: string;
  @ApiPropertyOptional({ format: 'date-time' }) deliveredAt?: string;
  @ApiPropertyOptional({ description: 'Why the last try failed' }) lastError?: string;
}

export class DeliveriesDto {
  @ApiProperty({ type: [DeliveryDto] }) deliveries!: DeliveryDto[];
  @ApiPropertyOptional({ description: 'absent on the last page' }) nextCursor?: string;
}

export class ReplayedDto {
  @ApiProperty({ type: 'integer', description: 'Dead deliveries that are sent again' }) replayed!: number;
}
