import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { shardsOf, type Sale, type SaleShard } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { inTransaction, select, text } from '../infra/database/index.js';
import { StockScripts, type Withdrawal } from '../seckill/index.js';

/** Units taken in one call of the script. */
const CHUNK = 5000;
/** A withdrawal that is this old was probably cut short: it is worth asking for the sale's row. */
const LEFTOVER_MS = 10_000;

/** Tokens that are off the list and not yet in MySQL. */
export type Taken = Withdrawal & { shard: SaleShard };

export type TakeOutcome = { outcome: 'taken' } | { outcome: 'short'; free: number } | { outcome: 'not_loaded' };

/**
 * Takes free tokens out of Redis for MySQL to keep, without ever having them in both or in neither: they stand in `withdrawing` until it is
 * known whether MySQL has them. Call it in a transaction that holds the sale's row shared.
 */
@Injectable()
export class TokenTaking {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly stock: StockScripts,
    private readonly clock: RedisClock,
  ) {}

  /** Takes units of an item from wherever they are free; adds what it took to `taken`, also when that was too little. */
  async take(sale: Sale, epoch: string, wanted: { itemId: string; units: number; userId?: string }, taken: Taken[]): Promise<TakeOutcome> {
    const { itemId, units, ...whose } = wanted;
    let missing = units;
    for (const shard of shardsOf(sale.id, sale.shards)) {
      while (missing > 0) {
        const quantity = Math.min(missing, CHUNK, await this.stock.free(shard, itemId));
        if (quantity === 0) break;
        const id = withdrawalId(this.clock.nowMs());
        const outcome = await this.stock.withdraw(shard, epoch, { id, itemId, quantity, ...whose });
        if (outcome.outcome === 'stale') return { outcome: 'not_loaded' };
        if (outcome.outcome === 'taken') {
          taken.push({ id, itemId, serials: outcome.serials, shard });
          missing -= quantity;
        }
      }
    }
    if (missing === 0) return { outcome: 'taken' };
    const isLoaded = (await this.stock.figures({ saleId: sale.id, shard: 0 })) !== null;
    return isLoaded ? { outcome: 'short', free: units - missing } : { outcome: 'not_loaded' };
  }

  /** After the transaction: MySQL has them, or they go back to the list. */
  async conclude(epoch: string, taken: Taken[], end: 'withdrawn' | 'returned'): Promise<void> {
    for (const withdrawal of taken) await this.stock.conclude(withdrawal.shard, epoch, withdrawal, end);
  }

  /**
   * Finishes what a process that died has left half-way. With the sale's row locked exclusively none can be under way, so MySQL either has
   * the tokens or never will.
   */
  async resolveLeftovers(shard: SaleShard): Promise<number> {
    if (!(await this.stock.withdrawalIds(shard)).some((id) => isOld(id, this.clock.nowMs()))) return 0;
    return inTransaction(this.dataSource, async (manager) => {
      const [sale] = await select(manager, 'SELECT epoch FROM sales WHERE id = ? FOR UPDATE', [shard.saleId]);
      const leftovers = sale ? await this.stock.withdrawals(shard) : [];
      for (const withdrawal of leftovers) {
        const [kept] = await select(manager, 'SELECT serial FROM held_tokens WHERE sale_item_id = ? AND serial = ?', [withdrawal.itemId, withdrawal.serials[0]]);
        await this.stock.conclude(shard, sale ? text(sale, 'epoch') : '', withdrawal, kept ? 'withdrawn' : 'returned');
      }
      return leftovers.length;
    });
  }
}

/** Carries its time, so that a sweep need not look into those that are under way. */
const withdrawalId = (nowMs: number): string => `${nowMs}-${randomUUID()}`;
const isOld = (id: string, nowMs: number): boolean => !(nowMs - Number.parseInt(id, 10) <= LEFTOVER_MS);
