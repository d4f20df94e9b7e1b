import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Instant, MayBeAbsent } from '../../goods/index.js';

export class SeriesQuery {
  @ApiPropertyOptional({ description: 'Only what was sampled after this moment' })
  @MayBeAbsent() @Instant()
  since?: string;
}

/** How far a sale had come at one moment. Counts only grow. */
export class SamplePointView {
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiProperty({ type: 'integer', description: 'Joins that were let in' }) joins!: number;
  @ApiProperty({ type: 'integer', description: 'Joins that were refused' }) refused!: number;
  @ApiProperty({ type: 'integer', description: 'Tickets that became orders, were sold out or rejected' }) decided!: number;
  @ApiProperty({ type: 'integer', description: 'Orders' }) ordered!: number;
  @ApiProperty({ type: 'integer', description: 'Orders that were ever paid' }) paid!: number;
  @ApiProperty({ type: 'integer', description: 'Tickets in line at that moment' }) waiting!: number;
  @ApiProperty({ type: 'integer', description: 'Tickets that stood by at that moment' }) standby!: number;
}

/** How a sale went from moment to moment. */
export class SeriesView {
  @ApiProperty() saleId!: string;
  @ApiProperty({ type: 'integer', description: 'Milliseconds between two points of a sale that is live; of others there are points where something changed' }) everyMs!: number;
  @ApiProperty({ type: [SamplePointView], description: 'At most the newest 900, oldest first' }) points!: SamplePointView[];
}
