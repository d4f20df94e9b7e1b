import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TICKET_STATUSES, type TicketStatus } from '../../goods/index.js';

/** Answer to a join. */
export class JoinedView {
  @ApiProperty({ format: 'uuid' }) ticketId!: string;
  @ApiProperty({ enum: ['queued', 'reserved'] }) status!: 'queued' | 'reserved';
  @ApiProperty({ type: 'integer', description: 'Place in line, from 1' }) position!: number;
  @ApiProperty({ type: 'integer', description: 'Ask for the ticket after so many milliseconds' }) pollAfterMs!: number;
}

/** A shopper's ticket. */
export class TicketView {
  @ApiProperty({ format: 'uuid' }) ticketId!: string;
  @ApiProperty({ enum: TICKET_STATUSES }) status!: TicketStatus;
  @ApiPropertyOptional({ description: 'Why a ticket ended as it did' }) reason?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Place in line, from 1, while waiting' }) position?: number;
  @ApiPropertyOptional({ type: 'integer' }) etaSeconds?: number;
  @ApiPropertyOptional({ type: 'integer' }) pollAfterMs?: number;
  @ApiPropertyOptional({ format: 'uuid' }) orderId?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'In minor units of the currency' }) amountMinor?: number;
  @ApiPropertyOptional({ example: 'EUR' }) currency?: string;
  @ApiPropertyOptional({ format: 'date-time' }) payBefore?: string;
}
