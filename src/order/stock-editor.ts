import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { recordChange, SaleReader, type Sale } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { execute, integer, inTransaction, isDuplicateKey, placeholders, select, text, type Row } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import type { StockView } from './dto/stock.dto.js';
import { OrderRelay } from './order-relay.js';
import { Hand, TokenTaking } from './token-taking.js';
import { UnloadedStock } from './unloaded-stock.js';

const MAX_STOCK = 1_000_000;
const ROWS = 5000;
/** How often a withdrawal looks again where a preload came in between. */
const MAX_ATTEMPTS = 5;

/** Writes down what the operator changed, with the stock as it is now. */
type Recorder = (manager: EntityManager, stock: number) => Promise<void>;

/**
 * Changes the stock of an item, also while its sale is live. New units come with new serials and reach Redis through the outbox, like freed
 * ones. Withdrawn units are taken out of the Redis list first, where the sale is loaded, and then kept in MySQL as held by no order, so none
 * of them can be sold.
 */
@Injectable()
export class StockEditor {
  private readonly logger = new Logger('Stock');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly tokens: TokenTaking,
    private readonly unloaded: UnloadedStock,
    private readonly relay: OrderRelay,
    private readonly clock: RedisClock,
  ) {}

  /**
   * Adds (`delta` > 0) or withdraws (`delta` < 0) units.
   * @throws DomainError SALE_NOT_FOUND, ITEM_NOT_FOUND, STOCK_HELD when fewer units are free, VALIDATION_FAILED above 1,000,000 units,
   *   NOT_LOADED when Redis has lost a sale that has begun, so that it can't be told which units are free
   */
  async change(saleId: string, itemId: string, delta: number, operatorId: string | null): Promise<StockView> {
    const sale = await this.sales.get(saleId);
    if (!sale.items.some((item) => item.id === itemId)) throw new DomainError('ITEM_NOT_FOUND', `Item ${itemId} is not part of this sale.`);
    const record = (manager: EntityManager, stock: number): Promise<void> => {
      const change = { before: { itemId, stock: stock - delta }, after: { itemId, stock } };
      return recordChange(manager, { saleId: sale.id, operatorId, action: 'stock', ...change }, this.clock.nowMs());
    };
    if (sale.stage === 'draft') return this.changeDraft(sale, itemId, delta, record);
    return delta > 0 ? this.add(sale, itemId, delta, record) : this.withdraw(sale, itemId, -delta, record);
  }

  /** A draft has no tokens yet: the numbers are all there is. */
  private async changeDraft(sale: Sale, itemId: string, delta: number, record: Recorder): Promise<StockView> {
    return inTransaction(this.dataSource, async (manager) => {
      const [row] = await select(manager, `SELECT id FROM sales WHERE id = ? AND state = 'draft' FOR UPDATE`, [sale.id]);
      if (!row) throw new DomainError('SALE_STATE_CONFLICT', 'The sale was published meanwhile; try again.');
      const item = await lockItem(manager, itemId);
      const stock = checkedStock(integer(item, 'stock') + delta, sale.shards);
      await execute(manager, 'UPDATE sale_items SET stock = ?, issued = ? WHERE id = ?', [stock, stock, itemId]);
      await record(manager, stock);
      return { itemId, stock, sold: 0 };
    });
  }

  private async add(sale: Sale, itemId: string, units: number, record: Recorder): Promise<StockView> {
    const view = await inTransaction(this.dataSource, async (manager) => {
      await lockShared(manager, sale.id);
      const item = await lockItem(manager, itemId);
      const issued = integer(item, 'issued');
      checkedStock(issued + units, sale.shards);
      await execute(manager, 'UPDATE sale_items SET issued = issued + ?, stock = stock + ? WHERE id = ?', [units, units, itemId]);
      await this.insertReturns(manager, sale, itemId, issued + 1, units);
      const stock = integer(item, 'stock') + units;
      await record(manager, stock);
      return { itemId, stock, sold: integer(item, 'sold') };
    });
    await this.relay.relaySale(sale.id).catch((error: unknown) => this.logger.warn({ saleId: sale.id, reason: String(error), msg: 'relay put off' }));
    return view;
  }

  private async insertReturns(manager: EntityManager, sale: Sale, itemId: string, first: number, units: number): Promise<void> {
    const now = new Date(this.clock.nowMs());
    for (let from = first; from < first + units; from += ROWS) {
      const serials = Array.from({ length: Math.min(ROWS, first + units - from) }, (_, i) => from + i);
      const rows = serials.flatMap((serial) => [sale.id, (serial - 1) % sale.shards, itemId, serial, now]);
      await execute(manager, `INSERT INTO token_returns (sale_id, shard, sale_item_id, serial, created_at) VALUES ${placeholders(serials.length, 5)}`, rows);
    }
  }

  /** From where the free units are: Redis while the sale stands there, else MySQL. A preload may come in between, and change that. */
  private async withdraw(sale: Sale, itemId: string, units: number, record: Recorder): Promise<StockView> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const found = (await this.withdrawLoaded(sale, itemId, units, record)) ?? (await this.withdrawUnloaded(sale, itemId, units, record));
      if (found) return found;
    }
    throw notLoaded();
  }

  /** Answers null where the sale is not loaded. */
  private async withdrawLoaded(sale: Sale, itemId: string, units: number, record: Recorder): Promise<StockView | null> {
    const hand = new Hand();
    try {
      const view = await inTransaction(this.dataSource, async (manager) => {
        const epoch = await lockShared(manager, sale.id);
        const taking = await this.tokens.take(hand, { sale, epoch, wanted: [{ itemId, units }] });
        if (taking.outcome === 'not_loaded') return null;
        if (taking.outcome === 'short') throw stockHeld(taking.free);
        const kept = await this.keepWithdrawn(manager, itemId, hand.serialsOf(itemId));
        await record(manager, kept.stock);
        return kept;
      });
      if (view === null) {
        await this.tokens.giveBack(hand);
        return null;
      }
      await this.tokens.keep(hand);
      return view;
    } catch (error) {
      // When the commit's own answer was lost, `resolveLeftovers` finds out what MySQL has.
      if (error instanceof DomainError || isDuplicateKey(error)) await this.tokens.giveBack(hand);
      if (isDuplicateKey(error)) throw new DomainError('UNAVAILABLE', 'A unit was in other hands; try again.', {}, { retryAfterMs: 1000, cause: error });
      throw error;
    }
  }

  /** Answers null where the sale is loaded by now. */
  private async withdrawUnloaded(sale: Sale, itemId: string, units: number, record: Recorder): Promise<StockView | null> {
    return inTransaction(this.dataSource, async (manager) => {
      const taking = await this.unloaded.take(manager, sale.id, itemId, units);
      if (taking.outcome === 'loaded') return null;
      if (taking.outcome === 'not_loaded') throw notLoaded();
      if (taking.outcome === 'short') throw stockHeld(taking.free);
      const kept = await this.keepWithdrawn(manager, itemId, taking.serials);
      await record(manager, kept.stock);
      return kept;
    });
  }

  private async keepWithdrawn(manager: EntityManager, itemId: string, serials: number[]): Promise<StockView> {
    for (let from = 0; from < serials.length; from += ROWS) {
      const chunk = serials.slice(from, from + ROWS);
      const rows = chunk.flatMap((serial) => [itemId, serial]);
      await execute(manager, `INSERT INTO held_tokens (sale_item_id, serial) VALUES ${placeholders(chunk.length, 2)}`, rows);
    }
    await execute(manager, 'UPDATE sale_items SET stock = stock - ? WHERE id = ?', [serials.length, itemId]);
    const item = await lockItem(manager, itemId);
    return { itemId, stock: integer(item, 'stock'), sold: integer(item, 'sold') };
  }
}

const notLoaded = (): DomainError => new DomainError('NOT_LOADED', 'The sale is being loaded; try again in a moment.', {}, { retryAfterMs: 2000 });
const stockHeld = (free: number): DomainError => new DomainError('STOCK_HELD', `Only ${free} ${free === 1 ? 'unit is' : 'units are'} free, so none was withdrawn.`);

/** The same bounds as for a new sale: a unit of the item for each shard, and no more than can be loaded. */
function checkedStock(stock: number, shards: number): number {
  if (stock < shards) throw new DomainError('VALIDATION_FAILED', `At least ${shards} must stay in the sale, one for each shard.`);
  if (stock > MAX_STOCK) throw new DomainError('VALIDATION_FAILED', 'A sale item may have up to 1,000,000 units.');
  return stock;
}

async function lockShared(manager: EntityManager, saleId: string): Promise<string> {
  const [row] = await select(manager, 'SELECT epoch FROM sales WHERE id = ? LOCK IN SHARE MODE', [saleId]);
  if (!row) throw new DomainError('SALE_NOT_FOUND', `There is no sale ${saleId}.`);
  return text(row, 'epoch');
}

async function lockItem(manager: EntityManager, itemId: string): Promise<Row> {
  const [row] = await select(manager, 'SELECT issued, stock, sold FROM sale_items WHERE id = ? FOR UPDATE', [itemId]);
  if (!row) throw new DomainError('ITEM_NOT_FOUND', `There is no item ${itemId}.`);
  return row;
}
