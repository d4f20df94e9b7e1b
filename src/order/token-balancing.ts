import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { SaleReader, shardsOf, type Sale } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { inTransaction, select, text } from '../infra/database/index.js';
import { reasonOf } from '../infra/errors.js';
import { StockScripts, type ShardLine } from '../seckill/index.js';
import { OrderRelay } from './order-relay.js';
import { gatheringMoves, nextMoves, type Move } from './token-moves.js';
import { insertMove } from './token-moves.statements.js';
import { withdrawalId } from './token-taking.js';

/** Tickets of a standby line that are looked at for what they wait for. */
const LOOKED_AT = 200;

/**
 * Moves free units from shards that have some to shards that ran dry, and brings units together for whom no shard has enough, so that no
 * shopper is turned away, or stands by, because of the shard the shopper lands on. They go through the outbox: off one list into `withdrawing`, into MySQL, onto the other list, so a crash leaves each
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

  /** Balances every sale of several shards that is live, or paused while its line is served; answers how many moves it made. A sale that fails does not hold up the others. */
  async balance(): Promise<number> {
    const now = new Date(this.clock.nowMs());
    const live = await select(this.dataSource, `SELECT id FROM sales WHERE (state = 'published' OR (state = 'paused' AND claims_stopped = 0)) AND shards > 1 AND epoch > 0 AND starts_at <= ? AND ends_at > ?`, [now, now]);
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
    const moves = await this.movesOf(sale);
    const made = moves.length > 0 ? await this.carryOut(sale.id, moves) : 0;
    if (made > 0) await this.relay.relaySale(sale.id);
    return made;
  }

  /** What the shards can't use by themselves is gathered for those who stand by; else each item is spread to where it ran dry, its last units to where they were asked for. */
  private async movesOf(sale: Sale): Promise<Move[]> {
    const lines = await this.lookAt(sale, 0);
    const isUseful = lines.some(({ standby }) => standby > 0) && lines.some(({ free }) => [...free.values()].some((units) => units > 0));
    const gathered = isUseful ? gatheringMoves(await this.lookAt(sale, LOOKED_AT)) : [];
    if (gathered.length > 0) return gathered;
    return sale.items.flatMap((item) => nextMoves(lines, item));
  }

  /** Every shard, or none while one of them is not loaded: all are built anew then. */
  private async lookAt(sale: Sale, tickets: number): Promise<ShardLine[]> {
    const itemIds = sale.items.map(({ id }) => id);
    const lines = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.line(shard, itemIds, tickets)));
    const loaded = lines.filter((line) => line !== null);
    return loaded.length === lines.length ? loaded : [];
  }

  /** In one transaction, so that the units for one basket arrive together. Answers how many moves were made: units may be gone by now. */
  private async carryOut(saleId: string, moves: Move[]): Promise<number> {
    const planned = moves.map((move) => ({ ...move, id: withdrawalId(this.clock.nowMs()) }));
    const { epoch, taken } = await inTransaction(this.dataSource, async (manager) => {
      const [sale] = await select(manager, 'SELECT epoch FROM sales WHERE id = ? LOCK IN SHARE MODE', [saleId]);
      const found = { epoch: sale ? text(sale, 'epoch') : '', taken: [] as typeof planned };
      for (const move of sale ? planned : []) if (await this.take(manager, found.epoch, move)) found.taken.push(move);
      return found;
    });
    // An error leaves the tokens in `withdrawing`, where the sweep finds out what MySQL has.
    for (const move of taken) await this.stock.conclude(move.from, epoch, move, { end: 'withdrawn' });
    return taken.length;
  }

  private async take(manager: EntityManager, epoch: string, { id, itemId, from, to, units }: Move & { id: string }): Promise<boolean> {
    const found = await this.stock.withdraw(from, epoch, { id, itemId, quantity: units, toShard: to.shard });
    if (found.outcome !== 'taken') return false;
    await insertMove(manager, { withdrawalId: id, saleId: from.saleId, itemId, serials: found.serials, toShard: to.shard, nowMs: this.clock.nowMs() });
    return true;
  }
}
