import { Injectable } from '@nestjs/common';
import { saleState, SaleReader, type Sale } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { DomainError } from '../infra/errors.js';
import { keyReused } from '../infra/http/index.js';
import { promptly } from '../infra/promptly.js';
import { ShortCache } from '../infra/short-cache.js';
import type { JoinOutcome } from './seckill.scripts.js';

type Refusal = Exclude<JoinOutcome, { position: number }>;
const NOT_LOADED_RETRY_MS = 2000;
const SALE_CACHE_MS = 1000;
const SALES_MAX = 1000;
const ITEMS_MAX = 10_000;

/** Turns the script's refusals into the errors of the contract. */
@Injectable()
export class JoinRefusal {
  private readonly told = new Map<string, DomainError>();
  private readonly cached = new ShortCache<Sale | null>(SALE_CACHE_MS, SALES_MAX);

  constructor(
    private readonly sales: SaleReader,
    private readonly clock: RedisClock,
  ) {}

  async of(saleId: string, refusal: Refusal): Promise<DomainError> {
    switch (refusal.outcome) {
      case 'key_reused':
        return keyReused();
      case 'not_loaded':
        return this.notLoaded(saleId);
      case 'not_started':
        return notStarted(new Date(refusal.startsAtMs));
      case 'ended':
        return new DomainError('ENDED', 'This sale has ended.');
      case 'paused':
        return new DomainError('PAUSED', 'This sale is paused; it may go on.');
      case 'item_not_found':
        return new DomainError('ITEM_NOT_FOUND', `Item ${refusal.itemId} is not part of this sale.`, { itemId: refusal.itemId });
      case 'invalid_basket':
        return new DomainError('INVALID_BASKET', 'Each item may stand in the basket once, with a quantity of at least 1.', { itemId: refusal.itemId });
      case 'already_queued':
        return new DomainError('ALREADY_QUEUED', 'You already have a ticket in this sale.');
      case 'unpaid_order':
        return new DomainError('UNPAID_ORDER', 'You have an unpaid order in this sale: pay or cancel it first.');
      case 'limit_reached':
        return new DomainError('LIMIT_REACHED', `A shopper may buy ${refusal.limit} of item ${refusal.itemId}.`, { itemId: refusal.itemId, limitPerUser: refusal.limit });
      case 'sold_out':
        return this.soldOut(refusal.itemId, refusal.left);
    }
  }

  soldOut(itemId: string, left: number): DomainError {
    return left === 0 ? this.gone(itemId) : soldOut(itemId, `Only ${left} of item ${itemId} ${left === 1 ? 'is' : 'are'} left.`, left);
  }

  /** Kept, because whole crowds are told the same, and a new error costs as much as the rest of the answer. */
  private gone(itemId: string): DomainError {
    const known = this.told.get(itemId);
    if (known) return known;
    const error = soldOut(itemId, `Item ${itemId} is sold out.`, 0);
    if (this.told.size >= ITEMS_MAX) this.told.clear();
    this.told.set(itemId, error);
    return error;
  }

  /** Nothing of the sale stands in Redis: it is a draft, far off, over, or (rarely) Redis lost it and the preload is at work. */
  private async notLoaded(saleId: string): Promise<DomainError> {
    const sale = await this.find(saleId);
    if (!sale || sale.stage === 'draft') return new DomainError('SALE_NOT_FOUND', `There is no sale ${saleId}.`);
    const nowMs = this.clock.nowMs();
    if (saleState(sale, nowMs) === 'ended') return new DomainError('ENDED', 'This sale has ended.');
    // Before a pause, as in the script: a sale that is far off may be paused, and is not loaded for it.
    if (nowMs < sale.startsAt.getTime()) return notStarted(sale.startsAt);
    return new DomainError('NOT_LOADED', 'The sale is being loaded; try again in a moment.', {}, { retryAfterMs: NOT_LOADED_RETRY_MS });
  }

  /** At most one question a second to MySQL per sale, however many ask. */
  private find(saleId: string): Promise<Sale | null> {
    return this.cached.get(saleId, () => promptly(this.sales.find(saleId)));
  }
}

const soldOut = (itemId: string, detail: string, remaining: number): DomainError => new DomainError('SOLD_OUT', detail, { itemId, remaining });

function notStarted(startsAt: Date): DomainError {
  return new DomainError('NOT_STARTED', `The sale starts at ${startsAt.toISOString()}.`, { startsAt: startsAt.toISOString() });
}
