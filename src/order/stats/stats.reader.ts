import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { saleState, SaleReader, shardsOf, type Sale } from '../../goods/index.js';
import { RedisClock } from '../../infra/clock/index.js';
import { StockScripts } from '../../seckill/index.js';
import { OrderCounting } from './order-figures.js';
import { addUp, readCounts, waitsOf } from './sale-counts.js';
import { SaleUnits, type ItemUnits } from './sale-units.js';
import type { ItemStatsView, StatsView } from './stats.view.js';

/**
 * Adds up how a sale goes, over its shards and its orders. Every open console asks once or twice a second, so nothing here grows with the
 * sale but what `OrderCounting` reads sparingly: the waits are counted by the drain, not read from the orders, which takes 370 ms of
 * 100,000 (docs/decisions/0031).
 */
@Injectable()
export class StatsReader {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly stock: StockScripts,
    private readonly units: SaleUnits,
    private readonly counting: OrderCounting,
    private readonly clock: RedisClock,
  ) {}

  /** @throws DomainError SALE_NOT_FOUND */
  async read(saleId: string): Promise<StatsView> {
    const sale = await this.sales.get(saleId);
    const [line, { orders, paidUnits }, counts] = await Promise.all([this.readLine(sale), this.counting.of(sale.id), readCounts(this.dataSource, sale.id)]);
    const units = await this.units.of(sale);
    const { isStanding, ...figures } = line;
    const waitMs = waitsOf(counts);
    return {
      saleId: sale.id,
      serverTime: new Date(this.clock.nowMs()).toISOString(),
      state: saleState(sale, this.clock.nowMs()),
      ...figures,
      orders,
      refusals: addUp(counts).refusals,
      ...(waitMs && { waitMs }),
      items: units.map((item) => itemStats(sale, item, paidUnits.get(item.itemId) ?? 0, isStanding)),
    };
  }

  /** What the shards count: `loaded` when all of them stand, `isStanding` when any does. */
  private async readLine(sale: Sale) {
    const figures = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.figures(shard)));
    const loaded = figures.filter((shard) => shard !== null);
    const sum = (pick: (shard: (typeof loaded)[number]) => number): number => loaded.reduce((total, shard) => total + pick(shard), 0);
    return {
      isStanding: loaded.length > 0,
      loaded: loaded.length === sale.shards,
      joins: sum((shard) => shard.joins),
      waiting: sum((shard) => shard.waiting),
      standby: sum((shard) => shard.standby),
      decided: sum((shard) => shard.served),
      claimed: sum((shard) => shard.claimed),
      ratePerSecond: sum((shard) => shard.ratePerSecond),
    };
  }
}

/**
 * The places of an item's units. MySQL says what is sold, withdrawn and returning; of the rest what the lists hold is free, and what is
 * in neither is claimed: on its way into an order, out of sale or to another shard. Who is paid may be told a little late.
 */
function itemStats(sale: Sale, { itemId, issued, stock, sold, returning, listed }: ItemUnits, paidUnits: number, isStanding: boolean): ItemStatsView {
  const unsold = Math.max(0, stock - sold - returning);
  const free = isStanding ? Math.min(listed, unsold) : null;
  const paid = Math.max(0, Math.min(paidUnits, sold));
  return {
    itemId,
    title: sale.items.find(({ id }) => id === itemId)?.goods.title ?? '',
    stock,
    sold,
    free,
    claimed: free === null ? 0 : unsold - free,
    held: sold - paid,
    paid,
    returning,
    withdrawn: issued - stock,
  };
}
