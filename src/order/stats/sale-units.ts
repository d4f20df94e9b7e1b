import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { shardsOf, type Sale } from '../../goods/index.js';
import { integer, nullable, select, text, type Executor, type Row } from '../../infra/database/index.js';
import { StockScripts } from '../../seckill/index.js';

/** How many units of an item are where, as MySQL counts them and as the stock lists are long. */
export interface ItemUnits {
  itemId: string;
  /** Serials ever. */
  issued: number;
  /** May be sold; the rest of the serials is withdrawn. */
  stock: number;
  /** In live orders. */
  sold: number;
  /** Freed, or new, and on their way to the stock lists. */
  returning: number;
  /** In the stock lists of all shards. */
  listed: number;
}

/** Counts the units of a sale by place, without looking at single tokens. */
@Injectable()
export class SaleUnits {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly stock: StockScripts,
  ) {}

  /**
   * MySQL as of one moment, the lists after it: a unit that is sold in between is then in neither, as if it were claimed. The other way
   * round it would be in both.
   */
  async of(sale: Pick<Sale, 'id' | 'shards'>): Promise<ItemUnits[]> {
    const rows = await readUnits(this.dataSource, sale.id);
    return Promise.all(rows.map(async (row) => ({ ...unitsOf(row), listed: await this.listed(sale, text(row, 'id')) })));
  }

  private async listed(sale: Pick<Sale, 'id' | 'shards'>, itemId: string): Promise<number> {
    const lengths = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.free(shard, itemId)));
    return lengths.reduce((total, units) => total + units, 0);
  }
}

/** One statement, and so one moment. By uq_sale_items_goods, and what is pending by ix_token_returns_pending. */
function readUnits(executor: Executor, saleId: string): Promise<Row[]> {
  return select(
    executor,
    `SELECT i.id, i.issued, i.stock, i.sold, back.units AS coming_back
       FROM sale_items i
       LEFT JOIN (SELECT sale_item_id, COUNT(*) AS units FROM token_returns WHERE relayed_at IS NULL AND sale_id = ? GROUP BY sale_item_id) AS back
         ON back.sale_item_id = i.id
      WHERE i.sale_id = ? ORDER BY i.id`,
    [saleId, saleId],
  );
}

const unitsOf = (row: Row): Omit<ItemUnits, 'listed'> => ({
  itemId: text(row, 'id'),
  issued: integer(row, 'issued'),
  stock: integer(row, 'stock'),
  sold: integer(row, 'sold'),
  returning: nullable(integer, row, 'coming_back') ?? 0,
});
