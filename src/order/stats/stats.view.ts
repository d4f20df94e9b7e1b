import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Where the units of an item are. While the sale is loaded, free, claimed, held, paid, returning and withdrawn ones are all there are. */
export class ItemStatsView {
  @ApiProperty() itemId!: string;
  @ApiProperty() title!: string;
  @ApiProperty({ type: 'integer', description: 'Units that may be sold' }) stock!: number;
  @ApiProperty({ type: 'integer', description: 'Units held by live orders' }) sold!: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Free units in the stock lists; null while the sale is not loaded' }) free!: number | null;
  @ApiProperty({ type: 'integer', description: 'Units that are in no other place: on their way from the lists into an order, out of sale or to another shard. Ones that stay here are lost; the proof names them' })
  claimed!: number;
  @ApiProperty({ type: 'integer', description: 'Units of unpaid orders' }) held!: number;
  @ApiProperty({ type: 'integer', description: 'Units of paid orders; in a large sale up to a few seconds old' }) paid!: number;
  @ApiProperty({ type: 'integer', description: 'Units that were freed or added and are on their way to the lists' }) returning!: number;
  @ApiProperty({ type: 'integer', description: 'Units that were taken out of sale' }) withdrawn!: number;
}

/** Milliseconds from join to order, each at most a tenth too long. */
export class WaitStatsView {
  @ApiProperty({ type: 'integer' }) p50!: number;
  @ApiProperty({ type: 'integer' }) p99!: number;
}

/** How a sale goes. The counts of the queue start anew when the Redis state is rebuilt. */
export class StatsView {
  @ApiProperty() saleId!: string;
  @ApiProperty({ format: 'date-time', description: 'When these figures were read, by the clock of the sale' }) serverTime!: string;
  @ApiProperty() state!: string;
  @ApiProperty() loaded!: boolean;
  @ApiProperty({ type: 'integer' }) joins!: number;
  @ApiProperty({ type: 'integer' }) waiting!: number;
  @ApiProperty({ type: 'integer', description: 'Tickets that stand by for units that come back' }) standby!: number;
  @ApiProperty({ type: 'integer', description: 'Tickets the drain has come past' }) decided!: number;
  @ApiProperty({ type: 'integer', description: 'Tickets claimed and not settled yet' }) claimed!: number;
  @ApiProperty({ description: 'Tickets decided per second, lately' }) ratePerSecond!: number;
  @ApiProperty({ description: 'Orders by status', additionalProperties: { type: 'integer' } }) orders!: Record<string, number>;
  @ApiProperty({ description: 'Joins that were refused, by code; up to a second old', additionalProperties: { type: 'integer' } }) refusals!: Record<string, number>;
  @ApiPropertyOptional({ type: WaitStatsView, description: 'Of the orders of this sale; absent while there is none' }) waitMs?: WaitStatsView;
  @ApiProperty({ type: [ItemStatsView] }) items!: ItemStatsView[];
}
