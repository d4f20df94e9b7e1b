import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SaleReader, shardsOf, type Sale, type SaleShard } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { inTransaction, select, text } from '../infra/database/index.js';
import { reasonOf } from '../infra/errors.js';
import { StockScripts } from '../seckill/index.js';
import { OrderRelay } from './order-relay.js';
import { insertMove } from './token-moves.statements.js';
import { withdrawalId } from './token-taking.js';

/** Units moved in one go. */
const MOST = 1000;

/** What a shard has of one item, and whether somebody stands by on it. */
export interface Share {
  shard: SaleShard;
  free: number;
  standby: number;
}

export interface Move {
  from: SaleShard;
  to: SaleShard;
  units: number;
}

/**
 * Moves free units from shards that have some to shards that ran dry, so that no shopper is turned away, or stands by, because of the shard
 * the shopper lands on. They go through the outbox: off one list into `withdrawing`, into MySQL, onto the other list, so a crash leaves each
 * unit in one place (see docs/decisions/0022).
 */
@Injectable()
export class TokenBalancing {
  private readonly logger = new Logger('Balancing');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly stock: StockScripts,
    private readonly relay: OrderRelay,
    private readonly clock: RedisClock,
  ) {}

  /** Balances every live sale of several shards; answers how many moves it made. A sale that fails does not hold up the others. */
  async balance(): Promise<number> {
    const now = new Date(this.clock.nowMs());
    const live = await select(this.dataSource, `SELECT id FROM sales WHERE state = 'published' AND shards > 1 AND epoch > 0 AND starts_at <= ? AND ends_at > ?`, [now, now]);
    let moves = 0;
    for (const row of live) {
      try {
        moves += await this.balanceSale(await this.sales.get(text(row, 'id')));
      } catch (error) {
        this.logger.warn({ saleId: text(row, 'id'), reason: reasonOf(error), msg: 'sale not balanced' });
      }
    }
    return moves;
  }

  private async balanceSale(sale: Sale): Promise<number> {
    let moves = 0;
    for (const { id: itemId } of sale.items) {
      const move = nextMove(await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.shareOf(shard, itemId))));
      if (move && (await this.carryOut(move, itemId))) moves += 1;
    }
    if (moves > 0) await this.relay.relaySale(sale.id);
    return moves;
  }

  private async shareOf(shard: SaleShard, itemId: string): Promise<Share> {
    const [free, figures] = await Promise.all([this.stock.free(shard, itemId), this.stock.figures(shard)]);
    return { shard, free, standby: figures?.standby ?? 0 };
  }

  private async carryOut({ from, to, units }: Move, itemId: string): Promise<boolean> {
    const id = withdrawalId(this.clock.nowMs());
    const epoch = await inTransaction(this.dataSource, async (manager) => {
      const [sale] = await select(manager, 'SELECT epoch FROM sales WHERE id = ? LOCK IN SHARE MODE', [from.saleId]);
      if (!sale) return null;
      const taken = await this.stock.withdraw(from, text(sale, 'epoch'), { id, itemId, quantity: units, toShard: to.shard });
      if (taken.outcome !== 'taken') return null;
      await insertMove(manager, { withdrawalId: id, saleId: from.saleId, itemId, serials: taken.serials, toShard: to.shard, nowMs: this.clock.nowMs() });
      return text(sale, 'epoch');
    });
    // An error leaves the tokens in `withdrawing`, where the sweep finds out what MySQL has.
    if (epoch === null) return false;
    await this.stock.conclude(from, epoch, { id, itemId }, { end: 'withdrawn' });
    return true;
  }
}

/**
 * Which units should move, if any: to the dry shard on which most stand by, from the richest one. A last unit only moves to where somebody
 * stands by, and from where nobody does; otherwise half of what the rich one has.
 */
export function nextMove(shares: Share[]): Move | undefined {
  const dry = shares.filter(({ free }) => free === 0).sort((a, b) => b.standby - a.standby)[0];
  const rich = shares.filter(({ free }) => free > 0).sort((a, b) => b.free - a.free || a.standby - b.standby)[0];
  if (!dry || !rich) return undefined;
  if (rich.free > 1) return { from: rich.shard, to: dry.shard, units: Math.min(MOST, Math.floor(rich.free / 2)) };
  const idle = shares.find(({ free, standby }) => free === 1 && standby === 0);
  return dry.standby > 0 && idle ? { from: idle.shard, to: dry.shard, units: 1 } : undefined;
}
