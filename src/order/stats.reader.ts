import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { saleState, SaleReader, shardsOf, type Sale } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { integer, select, text } from '../infra/database/index.js';
import { StockScripts } from '../seckill/index.js';
import type { ItemStatsView, StatsView } from './dto/stats.view.js';
import { ORDER_STATUSES } from './order-status.js';

/** Adds up how a sale goes, over its shards and its orders. */
@Injectable()
export class StatsReader {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly stock: StockScripts,
    private readonly clock: RedisClock,
  ) {}

  /** @throws DomainError SALE_NOT_FOUND */
  async read(saleId: string): Promise<StatsView> {
    const sale = await this.sales.get(saleId);
    const figures = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.figures(shard)));
    const loaded = figures.filter((shard) => shard !== null);
    const sum = (pick: (shard: (typeof loaded)[number]) => number): number => loaded.reduce((total, shard) => total + pick(shard), 0);
    return {
      saleId: sale.id,
      state: saleState(sale, this.clock.nowMs()),
      loaded: loaded.length === sale.shards,
      joins: sum((shard) => shard.joins),
      waiting: sum((shard) => shard.waiting),
      standby: sum((shard) => shard.standby),
      decided: sum((shard) => shard.served),
      claimed: sum((shard) => shard.claimed),
      ratePerSecond: sum((shard) => shard.ratePerSecond),
      orders: await this.countOrders(sale.id),
      items: await Promise.all(sale.items.map((item) => this.itemStats(sale, item, loaded.length > 0))),
    };
  }

  private async itemStats(sale: Sale, { id, stock, sold }: Sale['items'][number], loaded: boolean): Promise<ItemStatsView> {
    const free = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.free(shard, id)));
    return { itemId: id, stock, sold, free: loaded ? free.reduce((total, units) => total + units, 0) : null };
  }

  /** By ix_orders_sale. */
  private async countOrders(saleId: string): Promise<Record<string, number>> {
    const rows = await select(this.dataSource, 'SELECT status, COUNT(*) AS orders FROM orders WHERE sale_id = ? GROUP BY status', [saleId]);
    const counts = Object.fromEntries(ORDER_STATUSES.map((status) => [status, 0]));
    for (const row of rows) counts[text(row, 'status')] = integer(row, 'orders');
    return counts;
  }
}
