import { ApiProperty } from '@nestjs/swagger';

export class ItemStatsView {
  @ApiProperty() itemId!: string;
  @ApiProperty({ type: 'integer', description: 'Units that may be sold' }) stock!: number;
  @ApiProperty({ type: 'integer', description: 'Units held by live orders' }) sold!: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Free units in the stock lists; null while the sale is not loaded' }) free!: number | null;
}

/** How a sale goes. The counts of the queue start anew when the Redis state is rebuilt. */
export class StatsView {
  @ApiProperty() saleId!: string;
  @ApiProperty() state!: string;
  @ApiProperty() loaded!: boolean;
  @ApiProperty({ type: 'integer' }) joins!: number;
  @ApiProperty({ type: 'integer' }) waiting!: number;
  @ApiProperty({ type: 'integer', description: 'Tickets that stand by for units that come back' }) standby!: number;
  @ApiProperty({ type: 'integer', description: 'Tickets the drain has come past' }) decided!: number;
  @ApiProperty({ type: 'integer', description: 'Tickets claimed and not settled yet' }) claimed!: number;
  @ApiProperty({ description: 'Tickets decided per second, lately' }) ratePerSecond!: number;
  @ApiProperty({ description: 'Orders by status', additionalProperties: { type: 'integer' } }) orders!: Record<string, number>;
  @ApiProperty({ type: [ItemStatsView] }) items!: ItemStatsView[];
}
