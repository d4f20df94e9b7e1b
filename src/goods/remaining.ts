import { Injectable } from '@nestjs/common';
import { isRedisUnavailable, RedisConnections } from '../infra/redis/index.js';
import type { Sale } from './entities/sale.entity.js';
import { saleKeys, shardsOf, type SaleShard } from './sale-keys.js';
import { ShortCache } from '../infra/short-cache.js';

const TTL_MS = 500;
const MAX_SALES = 1000;

/** What counting needs to know of a sale. */
export type CountedSale = Pick<Sale, 'id' | 'stage' | 'shards'> & { items: Pick<Sale['items'][number], 'id' | 'stock' | 'sold'>[] };

/** Units left to sell, by item id. */
export type UnitsLeft = ReadonlyMap<string, number>;

/**
 * Counts what is left to sell: the lengths of the stock lists, which are the truth while a sale is loaded. For a sale that isn't, and
 * while Redis can't be asked, it is the stock minus what live orders hold. Figures are up to half a second old.
 */
@Injectable()
export class Remaining {
  private readonly counted = new ShortCache<UnitsLeft>(TTL_MS, MAX_SALES);

  constructor(private readonly redis: RedisConnections) {}

  /** Units left of each item of the sale. */
  of(sale: CountedSale): Promise<UnitsLeft> {
    if (sale.stage === 'draft') return Promise.resolve(unsold(sale));
    return this.counted.get(sale.id, () => this.count(sale));
  }

  private async count(sale: CountedSale): Promise<UnitsLeft> {
    try {
      const shards = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.lengths(shard, sale)));
      const loaded = shards.filter((lengths) => lengths !== null);
      if (loaded.length < sale.shards) return unsold(sale);
      return new Map(sale.items.map(({ id }, index) => [id, loaded.reduce((sum, lengths) => sum + (lengths[index] ?? 0), 0)]));
    } catch (error) {
      if (isRedisUnavailable(error)) return unsold(sale);
      throw error;
    }
  }

  /** The lengths of a shard's stock lists in the order of the items, or null when the shard is not loaded. One round trip. */
  private async lengths(shard: SaleShard, { items }: CountedSale): Promise<number[] | null> {
    const pipeline = this.redis.request.pipeline().exists(saleKeys.sale(shard));
    for (const { id } of items) pipeline.llen(saleKeys.stock(shard, id));
    const replies = (await pipeline.exec()) ?? [];
    const [exists, ...lengths] = replies.map(([error, reply]) => {
      if (error) throw error;
      return Number(reply);
    });
    return exists === 1 ? lengths : null;
  }
}

const unsold = (sale: CountedSale): UnitsLeft => new Map(sale.items.map(({ id, stock, sold }) => [id, Math.max(0, stock - sold)]));
