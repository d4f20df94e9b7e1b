import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Preloader, SaleReader, shardsOf, type Sale } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { execute, integer, select } from '../infra/database/index.js';
import { StockScripts } from '../seckill/index.js';

const PAGE = 5000;

export type UnloadedTaking =
  | { outcome: 'taken'; serials: number[] }
  | { outcome: 'short'; free: number }
  /** The sale stands in Redis by now: its lists say which units are free. */
  | { outcome: 'loaded' }
  /** The sale has begun and its state is gone: tickets may wait for these units, and it is built anew in a moment. */
  | { outcome: 'not_loaded' };

/**
 * Takes free units of a sale that does not stand in Redis, not yet or not any more: MySQL alone says then which ones are free. The sale's
 * row is locked exclusively, as by a build, so that each of the two lies wholly before the other (see docs/decisions/0012).
 */
@Injectable()
export class UnloadedStock {
  constructor(
    private readonly sales: SaleReader,
    private readonly stock: StockScripts,
    private readonly preloader: Preloader,
    private readonly clock: RedisClock,
  ) {}

  /**
   * Takes the highest free serials, which lie evenly on the shards, all of the number or none. They are the caller's to keep, in this
   * transaction.
   */
  async take(manager: EntityManager, saleId: string, itemId: string, units: number): Promise<UnloadedTaking> {
    await select(manager, 'SELECT id FROM sales WHERE id = ? FOR UPDATE', [saleId]);
    const sale = await this.sales.get(saleId, manager);
    const standing = await this.standing(sale);
    if (standing === 'all') return { outcome: 'loaded' };
    if (sale.startsAt.getTime() <= this.clock.nowMs() && this.preloader.isDue(sale)) return { outcome: 'not_loaded' };
    const issued = sale.items.find(({ id }) => id === itemId)?.issued ?? 0;
    const serials = await highestFree(manager, itemId, issued, units);
    if (serials.length < units) return { outcome: 'short', free: serials.length };
    // A build broke off and has left some shards: what they hold belongs to the past from here on.
    if (standing === 'some') await execute(manager, 'UPDATE sales SET epoch = epoch + 1 WHERE id = ?', [saleId]);
    await this.stopReturns(manager, saleId, itemId, serials);
    return { outcome: 'taken', serials };
  }

  private async standing(sale: Sale): Promise<'all' | 'some' | 'none'> {
    const found = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.stands(shard, sale.epoch)));
    return found.every(Boolean) ? 'all' : found.some(Boolean) ? 'some' : 'none';
  }

  /** Units that were added wait in the outbox for a state to come; these are not for it any more. By ix_token_returns_pending. */
  private async stopReturns(manager: EntityManager, saleId: string, itemId: string, serials: number[]): Promise<void> {
    const now = new Date(this.clock.nowMs());
    for (let from = 0; from < serials.length; from += PAGE) {
      const parameters = [now, saleId, itemId, serials.slice(from, from + PAGE)];
      await execute(manager, 'UPDATE token_returns SET relayed_at = ? WHERE relayed_at IS NULL AND sale_id = ? AND sale_item_id = ? AND serial IN (?)', parameters);
    }
  }
}

/** The highest serials that nobody holds, ascending; fewer than wanted where there are no more. Pages through held_tokens by its primary key. */
async function highestFree(manager: EntityManager, itemId: string, issued: number, wanted: number): Promise<number[]> {
  const free: number[] = [];
  for (let next = issued; next > 0 && free.length < wanted; ) {
    const rows = await select(manager, 'SELECT serial FROM held_tokens WHERE sale_item_id = ? AND serial <= ? ORDER BY serial DESC LIMIT ?', [itemId, next, PAGE]);
    for (const held of [...rows.map((row) => integer(row, 'serial')), ...(rows.length < PAGE ? [0] : [])]) {
      while (next > held && free.length < wanted) free.push(next--);
      next = Math.min(next, held - 1);
    }
  }
  return free.reverse();
}
