import { Injectable } from '@nestjs/common';
import { RedisClock } from '../infra/clock/index.js';
import { DomainError } from '../infra/errors.js';
import type { SaleDto, SalesDto } from './dto/sale.answers.js';
import type { Sale } from './entities/sale.entity.js';
import { isId } from './ids.js';
import { Remaining } from './remaining.js';
import { saleState, type SaleState } from './sale-state.js';
import { SaleReader } from './sale.reader.js';
import { SaleSearch } from './sale.search.js';
import { publicView } from './sale.view.js';
import { ShortCache } from '../infra/short-cache.js';

const TTL_MS = 500;
const MAX_SALES = 1000;
const LIST_LIMIT = 100;

/**
 * What shoppers read of sales. Rows are kept for half a second and read once for all who ask at the same time, so that a crowd before the
 * opening does not reach MySQL; state and time are worked out for every answer. A change by this process shows at once.
 */
@Injectable()
export class SalePages {
  private readonly found = new ShortCache<Sale | null>(TTL_MS, MAX_SALES);
  private readonly lists = new ShortCache<Sale[]>(TTL_MS, MAX_SALES);

  constructor(
    private readonly sales: SaleReader,
    private readonly search: SaleSearch,
    private readonly remaining: Remaining,
    private readonly clock: RedisClock,
  ) {}

  /** @throws DomainError SALE_NOT_FOUND, also for a draft and for a shadow sale */
  async show(saleId: string): Promise<SaleDto> {
    const sale = isId(saleId) ? await this.found.get(saleId, () => this.sales.find(saleId)) : null;
    if (!sale || sale.stage === 'draft' || sale.rehearsalId !== null) throw new DomainError('SALE_NOT_FOUND', `There is no sale ${saleId}.`);
    return this.view(sale);
  }

  /** The latest sales, all or those in one state. */
  async list(state?: SaleState): Promise<SalesDto> {
    const found = await this.lists.get(state ?? '', () => this.search.public(state, LIST_LIMIT));
    const nowMs = this.clock.nowMs();
    const sales = state === undefined ? found : found.filter((sale) => saleState(sale, nowMs) === state);
    return { sales: await Promise.all(sales.map((sale) => this.view(sale))) };
  }

  /** Call after a change, so that the next answer shows it. */
  forget(saleId: string): void {
    this.found.forget(saleId);
    this.lists.clear();
  }

  private async view(sale: Sale): Promise<SaleDto> {
    return publicView(sale, await this.remaining.of(sale), this.clock.nowMs());
  }
}
