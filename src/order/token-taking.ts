import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { shardsOf, type Sale, type SaleShard } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { inTransaction, integer, nullable, select, text, type Executor } from '../infra/database/index.js';
import { StockScripts, type Withdrawal } from '../seckill/index.js';
import { committedMoves } from './token-moves.statements.js';

/** Units taken in one call of the script. */
const CHUNK = 5000;
/** A withdrawal that is this old was probably cut short: it is worth asking for the sale's row. */
const LEFTOVER_MS = 10_000;

/** Tokens that are off the list and not yet in MySQL. One hand serves one transaction, with its repeats. */
export class Hand {
  epoch = '';
  taken: (Withdrawal & { shard: SaleShard })[] = [];

  /** The serials of an item, ascending. */
  serialsOf(itemId: string): number[] {
    return this.taken.filter((part) => part.itemId === itemId).flatMap(({ serials }) => serials).sort((a, b) => a - b);
  }
}

export interface Taking {
  sale: Sale;
  epoch: string;
  wanted: { itemId: string; units: number }[];
  /** The shopper whose order gets the units, and the shard the shopper is counted on; none when they are taken out of sale. */
  buyer?: { userId: string; shard: number };
}

export type TakeOutcome =
  | { outcome: 'taken' }
  /** `othersTaking`: there may be units in a moment: somebody else has them in hand, or those in line come first and may leave some. */
  | { outcome: 'short'; free: number; othersTaking: boolean }
  | { outcome: 'not_loaded' };

/**
 * Takes free tokens out of Redis for MySQL to keep, without ever having them in both or in neither: they stand in `withdrawing` until it is
 * known whether MySQL has them. `take` belongs in a transaction that holds the sale's row shared; `keep` or `giveBack` after its end.
 */
@Injectable()
export class TokenTaking {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly stock: StockScripts,
    private readonly clock: RedisClock,
  ) {}

  /** Takes all that is wanted into the hand; what it took before it fell short is in the hand, too. A repeat finds the hand full. */
  async take(hand: Hand, taking: Taking): Promise<TakeOutcome> {
    // What was taken before a rebuild is back on the list.
    if (hand.epoch !== taking.epoch) Object.assign(hand, { epoch: taking.epoch, taken: [] });
    if (hand.taken.length > 0) return { outcome: 'taken' };
    for (const { itemId, units } of taking.wanted) {
      const outcome = await this.takeItem(hand, taking, itemId, units);
      if (outcome.outcome !== 'taken') return outcome;
    }
    return { outcome: 'taken' };
  }

  /** The transaction was committed. */
  async keep(hand: Hand): Promise<void> {
    for (const withdrawal of hand.taken) await this.stock.conclude(withdrawal.shard, hand.epoch, withdrawal, { end: 'withdrawn' });
  }

  /** The transaction was rolled back: the tokens are free again, but for those that turn out to be in other hands. */
  async giveBack(hand: Hand): Promise<void> {
    for (const withdrawal of hand.taken) {
      const drop = (await holdersOf(this.dataSource, withdrawal)).map(({ serial }) => serial);
      await this.stock.conclude(withdrawal.shard, hand.epoch, withdrawal, { end: 'returned', drop });
    }
    hand.taken = [];
  }

  /**
   * Finishes what a process that died has left half-way. With the sale's row locked exclusively none can be under way, so MySQL either has
   * the tokens for whom they were taken, or never will.
   */
  async resolveLeftovers(shard: SaleShard): Promise<number> {
    if (!(await this.stock.withdrawalIds(shard)).some((id) => isOld(id, this.clock.nowMs()))) return 0;
    return inTransaction(this.dataSource, async (manager) => {
      const [sale] = await select(manager, 'SELECT epoch FROM sales WHERE id = ? FOR UPDATE', [shard.saleId]);
      const leftovers = sale ? await this.stock.withdrawals(shard) : [];
      for (const withdrawal of leftovers) {
        const holders = await holdersOf(manager, withdrawal);
        const isKept = withdrawal.toShard === null
          ? holders.length === withdrawal.serials.length && holders.every(({ isOwn }) => isOwn)
          : (await committedMoves(manager, [withdrawal.id])).has(withdrawal.id);
        const drop = holders.map(({ serial }) => serial);
        await this.stock.conclude(shard, sale ? text(sale, 'epoch') : '', withdrawal, isKept ? { end: 'withdrawn' } : { end: 'returned', drop });
      }
      return leftovers.length;
    });
  }

  private async takeItem(hand: Hand, { sale, epoch, buyer }: Taking, itemId: string, units: number): Promise<TakeOutcome> {
    const shards = shardsOf(sale.id, sale.shards).filter(({ shard }) => buyer === undefined || shard === buyer.shard);
    let missing = units;
    while (missing > 0) {
      const { shard, free } = await this.richest(shards, itemId);
      if (free === 0) return this.short(shards, epoch, units - missing);
      const id = withdrawalId(this.clock.nowMs());
      // In several goes, so that no shard is emptied while another is full.
      const quantity = Math.min(missing, free, CHUNK, Math.ceil(units / shards.length));
      const outcome = await this.stock.withdraw(shard, epoch, { id, itemId, quantity, ...(buyer && { userId: buyer.userId }) });
      if (outcome.outcome === 'stale') return { outcome: 'not_loaded' };
      if (outcome.outcome === 'line_first') return { outcome: 'short', free: units - missing, othersTaking: true };
      if (outcome.outcome === 'taken') {
        hand.taken.push({ id, itemId, userId: buyer?.userId ?? '', toShard: null, serials: outcome.serials, shard });
        missing -= quantity;
      }
    }
    return { outcome: 'taken' };
  }

  private async richest(shards: SaleShard[], itemId: string): Promise<{ shard: SaleShard; free: number }> {
    const found = await Promise.all(shards.map(async (shard) => ({ shard, free: await this.stock.free(shard, itemId) })));
    return found.reduce((most, next) => (next.free > most.free ? next : most));
  }

  private async short(shards: SaleShard[], epoch: string, free: number): Promise<TakeOutcome> {
    const looks = await Promise.all(shards.map(async (shard) => ({ stands: await this.stock.stands(shard, epoch), ids: await this.stock.withdrawalIds(shard) })));
    if (looks.some(({ stands }) => !stands)) return { outcome: 'not_loaded' };
    return { outcome: 'short', free, othersTaking: looks.some(({ ids }) => ids.length > 0) };
  }
}

/** Who holds the tokens of a withdrawal in MySQL: those for whom they were taken, or somebody else. By the primary key of held_tokens. */
async function holdersOf(executor: Executor, { itemId, serials, userId }: Withdrawal): Promise<{ serial: number; isOwn: boolean }[]> {
  const rows = await select(executor, 'SELECT serial, order_id, user_id FROM held_tokens WHERE sale_item_id = ? AND serial IN (?)', [itemId, serials]);
  return rows.map((row) => {
    const holder = nullable(text, row, 'user_id') ?? '';
    return { serial: integer(row, 'serial'), isOwn: holder === userId && (row.order_id !== null) === (userId !== '') };
  });
}

/** Carries its time, so that a sweep need not look into those that are under way. */
export const withdrawalId = (nowMs: number): string => `${nowMs}-${randomUUID()}`;
const isOld = (id: string, nowMs: number): boolean => !(nowMs - Number.parseInt(id, 10) <= LEFTOVER_MS);
