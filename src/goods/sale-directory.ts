import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../infra/database/index.js';
import { RedisConnections } from '../infra/redis/index.js';
import { saleKeys } from './sale-keys.js';
import { SaleReader } from './sale.reader.js';

/** What never changes about a sale once it exists: how its Redis keys are laid out. */
export interface SaleLayout {
  saleId: string;
  shards: number;
  itemIds: string[];
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
  private readonly asked = new Map<string, { answer: Promise<SaleLayout | null>; untilMs: number }>();

  constructor(
    private readonly sales: SaleReader,
    private readonly redis: RedisConnections,
  ) {}

  /** The layout of a sale, drafts included, or null when there is no such sale. */
  async layoutOf(saleId: string): Promise<SaleLayout | null> {
    return this.known.get(saleId) ?? this.ask(saleId);
  }

  private ask(saleId: string): Promise<SaleLayout | null> {
    const pending = this.asked.get(saleId);
    if (pending && pending.untilMs > Date.now()) return pending.answer;
    if (this.asked.size > KNOWN_MAX) this.asked.clear();
    const answer = this.look(saleId);
    this.asked.set(saleId, { answer, untilMs: Date.now() + UNKNOWN_TTL_MS });
    answer.catch(() => this.asked.delete(saleId));
    return answer;
  }

  private async look(saleId: string): Promise<SaleLayout | null> {
    const layout = await this.fromDatabase(saleId).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) return this.fromRedis(saleId, error);
      throw error;
    });
    if (layout) {
      if (this.known.size >= KNOWN_MAX) this.known.clear();
      this.known.set(saleId, layout);
      this.asked.delete(saleId);
    }
    return layout;
  }

  private async fromDatabase(saleId: string): Promise<SaleLayout | null> {
    const sale = await this.sales.find(saleId);
    return sale && { saleId, shards: sale.shards, itemIds: sale.items.map((item) => item.id) };
  }

  /** A loaded sale goes on selling while MySQL is away. */
  private async fromRedis(saleId: string, cause: unknown): Promise<SaleLayout> {
    const first = { saleId, shard: 0 };
    const [shards, itemIds] = await Promise.all([this.redis.request.hget(saleKeys.sale(first), 'shards'), this.redis.request.hkeys(saleKeys.goods(first))]);
    if (shards === null) throw cause;
    return { saleId, shards: Number(shards), itemIds: itemIds.sort((a, b) => Number(a) - Number(b)) };
  }
}
