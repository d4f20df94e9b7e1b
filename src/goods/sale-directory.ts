import { Injectable } from '@nestjs/common';
import { promptly } from '../infra/promptly.js';
import { RedisConnections } from '../infra/redis/index.js';
import { isId } from './ids.js';
import { saleKeys } from './sale-keys.js';
import { SaleReader } from './sale.reader.js';
import { ShortCache } from '../infra/short-cache.js';

/** What never changes about a sale once it exists: how its Redis keys are laid out. */
export interface SaleLayout {
  saleId: string;
  shards: number;
  itemIds: string[];
  /** Of a shadow sale: its rehearsal. */
  rehearsalId: string | null;
}

const KNOWN_MAX = 10_000;
const UNKNOWN_TTL_MS = 1000;

/**
 * Finds a sale's layout without asking MySQL again on the request path: what was found once is kept (it can't change), and an unknown id
 * is remembered as unknown for a second, so that a crowd with a wrong link reaches MySQL once a second.
 */
@Injectable()
export class SaleDirectory {
  private readonly known = new Map<string, SaleLayout>();
  private readonly asked = new ShortCache<SaleLayout | null>(UNKNOWN_TTL_MS, KNOWN_MAX);

  constructor(
    private readonly sales: SaleReader,
    private readonly redis: RedisConnections,
  ) {}

  /** The layout of a sale, drafts included, or null when there is no such sale. */
  async layoutOf(saleId: string): Promise<SaleLayout | null> {
    return this.known.get(saleId) ?? this.asked.get(saleId, () => this.look(saleId));
  }

  /** The same, of a sale that was found before. */
  knownLayoutOf(saleId: string): SaleLayout | undefined {
    return this.known.get(saleId);
  }

  /** A loaded sale is found in Redis, and so goes on selling while MySQL is away. */
  private async look(saleId: string): Promise<SaleLayout | null> {
    if (!isId(saleId)) return null;
    const layout = (await this.fromRedis(saleId)) ?? (await promptly(this.fromDatabase(saleId)));
    if (layout) {
      if (this.known.size >= KNOWN_MAX) this.known.clear();
      this.known.set(saleId, layout);
    }
    return layout;
  }

  private async fromRedis(saleId: string): Promise<SaleLayout | null> {
    const first = { saleId, shard: 0 };
    const [[shards, rehearsalId = null], itemIds] = await Promise.all([
      this.redis.request.hmget(saleKeys.sale(first), 'shards', 'rehearsalId'),
      this.redis.request.hkeys(saleKeys.goods(first)),
    ]);
    if (!shards || itemIds.length === 0) return null;
    return { saleId, shards: Number(shards), itemIds: itemIds.sort((a, b) => Number(a) - Number(b)), rehearsalId };
  }

  private async fromDatabase(saleId: string): Promise<SaleLayout | null> {
    const sale = await this.sales.find(saleId);
    return sale && { saleId, shards: sale.shards, itemIds: sale.items.map((item) => item.id), rehearsalId: sale.rehearsalId };
  }
}
