import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { TestShoppers } from '../auth/index.js';
import { rehearsalShoppers, saleKeys, shardsOf } from '../goods/index.js';
import { inTransaction, integer, select, text } from '../infra/database/index.js';
import { RedisConnections } from '../infra/redis/index.js';
import { removeOrders, removeSale, removeStatistics, retire } from './cleaning.statements.js';

/** Orders removed in one transaction. */
const BATCH = 500;

/**
 * Removes all that a rehearsal has made, in every table and in Redis, whether it ran to its end or died in the middle. May be repeated: what
 * everything else is found by, the sale's mark, goes last.
 */
@Injectable()
export class Cleaning {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly redis: RedisConnections,
    private readonly shoppers: TestShoppers,
  ) {}

  async clean(rehearsalId: string): Promise<void> {
    const sales = await select(this.dataSource, 'SELECT id, shards FROM sales WHERE rehearsal_id = ?', [rehearsalId]);
    for (const sale of sales) await this.remove(text(sale, 'id'), integer(sale, 'shards'));
    await this.shoppers.remove(rehearsalShoppers(rehearsalId));
  }

  /** First nobody works on the sale any more, then Redis forgets it, then MySQL. */
  private async remove(saleId: string, shards: number): Promise<void> {
    await inTransaction(this.dataSource, (manager) => retire(manager, saleId));
    const items = await select(this.dataSource, 'SELECT id FROM sale_items WHERE sale_id = ?', [saleId]);
    await this.removeKeys(saleId, shards, items.map((item) => text(item, 'id')));
    let removed: number;
    do removed = await inTransaction(this.dataSource, (manager) => removeOrders(manager, saleId, BATCH));
    while (removed === BATCH);
    await removeStatistics(this.dataSource, saleId);
    await inTransaction(this.dataSource, (manager) => removeSale(manager, saleId));
    // Processes add their counts every two seconds, as long as there is such a sale.
    await removeStatistics(this.dataSource, saleId);
  }

  /** Every key of a shard, but for those that expire within minutes (`staging`) or that no rehearsal makes (`answer`). */
  private async removeKeys(saleId: string, shards: number, itemIds: string[]): Promise<void> {
    const { sale, goods, queue, count, units, status, claimed, working, standby, withdrawing, returned, stock } = saleKeys;
    for (const shard of shardsOf(saleId, shards)) {
      const keys = [sale, goods, queue, count, units, status, claimed, working, standby, withdrawing, returned].map((key) => key(shard));
      await this.redis.work.unlink(...keys, ...itemIds.map((itemId) => stock(shard, itemId)));
    }
  }
}
