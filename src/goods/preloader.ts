import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Settings } from '../config/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { execute, inTransaction, integer, select, text, type Executor } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import type { Sale } from './entities/sale.entity.js';
import { shardsOf } from './sale-keys.js';
import { shardPolicy } from './sale-policy.js';
import { readSnapshot, type SaleSnapshot } from './sale-snapshot.js';
import { SaleReader } from './sale.reader.js';
import { SaleScripts, shardName } from './sale.scripts.js';
import { buildShard } from './shard-build.js';

/** A build that another process overtook steps back for up to so long, times the attempts, so that the other one comes through. */
const STEP_BACK_MS = 50;
const MAX_ATTEMPTS = 10;
const RETRY_MS = 1000;

export type PreloadOutcome = { outcome: 'loaded'; epoch: string; tokens: number } | { outcome: 'standing'; epoch: string };

type Built = Extract<PreloadOutcome, { outcome: 'loaded' }> | { outcome: 'overtaken' };

/**
 * Builds a sale's Redis state from MySQL: before the sale opens, and again whenever Redis lost it.
 *
 * A build raises the sale's epoch first and then reads MySQL while it holds the sale's row exclusively. Whatever moves tokens in MySQL
 * (an order, a close, a relay) holds the row shared and checks the epoch, so it lies wholly before the read, or is refused after it.
 * A state that stands is never touched. One that does not stand any more (Redis fell back, or lost a part) is frozen, and what only Redis
 * knew, the places in line, is carried over.
 */
@Injectable()
export class Preloader {
  private readonly logger = new Logger('Preload');
  private readonly underWay = new Map<string, Promise<PreloadOutcome>>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly scripts: SaleScripts,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
  ) {}

  /**
   * Makes sure that the sale's state stands in Redis when it answers. Safe to repeat and to run in several processes at once.
   * @throws DomainError SALE_NOT_FOUND, SALE_STATE_CONFLICT for a draft or a sale whose retention has passed, or NOT_LOADED when others
   *   kept overtaking this build
   */
  async preload(saleId: string): Promise<PreloadOutcome> {
    const sale = await this.sales.get(saleId);
    if (sale.stage === 'draft') throw draftRefused();
    if (this.isPast(sale)) throw new DomainError('SALE_STATE_CONFLICT', 'The retention of this sale has passed.');
    // Asked without a lock first: this runs every few seconds while a sale is live.
    if (await this.stands(sale, sale.epoch)) return { outcome: 'standing', epoch: sale.epoch };
    return this.shared(sale.id, () => this.rebuild(sale));
  }

  /**
   * Builds a sale's state anew although one stands, because that one is known to be wrong. Who waits keeps the place.
   * @throws as `preload` does
   */
  async renew(saleId: string, why: string): Promise<PreloadOutcome> {
    const sale = await this.sales.get(saleId);
    this.logger.warn({ saleId, why, msg: 'the state is wrong and is built anew' });
    for (const shard of shardsOf(sale.id, sale.shards)) await this.scripts.freeze(shard, sale.epoch);
    return this.preload(saleId);
  }

  /** Preloads a sale that starts within the lead time (or has started); does nothing for any other. */
  async preloadIfDue(saleId: string): Promise<void> {
    const sale = await this.sales.get(saleId);
    if (this.isDue(sale)) await this.preload(saleId);
  }

  /** Whether the sale's state should stand in Redis now. */
  isDue(sale: Pick<Sale, 'stage' | 'startsAt' | 'endsAt'>): boolean {
    const opensSoon = sale.startsAt.getTime() - this.settings.PRELOAD_LEAD_SECONDS * 1000 <= this.clock.nowMs();
    return sale.stage !== 'draft' && opensSoon && !this.isPast(sale);
  }

  private isPast(sale: Pick<Sale, 'endsAt'>): boolean {
    return sale.endsAt.getTime() + this.settings.RETENTION_SECONDS * 1000 <= this.clock.nowMs();
  }

  /** Whoever asks while this process is at it waits for the same build: a crowd would only overtake itself. */
  private shared(saleId: string, rebuild: () => Promise<PreloadOutcome>): Promise<PreloadOutcome> {
    const underWay = this.underWay.get(saleId) ?? rebuild().finally(() => this.underWay.delete(saleId));
    this.underWay.set(saleId, underWay);
    return underWay;
  }

  private async rebuild(sale: Sale): Promise<PreloadOutcome> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const begun = await this.begin(sale);
      if (begun.outcome === 'standing') return begun;
      const built = await this.build(sale.id, begun.epoch);
      if (built.outcome === 'loaded') {
        this.logger.log({ saleId: sale.id, ...built, msg: 'preload' });
        return built;
      }
      await delay(Math.random() * STEP_BACK_MS * attempt);
    }
    throw new DomainError('NOT_LOADED', 'Others are loading the sale; try again in a moment.', {}, { retryAfterMs: RETRY_MS });
  }

  /** Raises the epoch, unless the state of the current one stands in every shard. */
  private async begin(sale: Sale): Promise<{ outcome: 'standing'; epoch: string } | { outcome: 'begun'; epoch: string }> {
    return inTransaction(this.dataSource, async (manager) => {
      const epoch = await lockSale(manager, sale.id);
      if (await this.stands(sale, epoch)) return { outcome: 'standing', epoch };
      await execute(manager, 'UPDATE sales SET epoch = epoch + 1 WHERE id = ?', [sale.id]);
      return { outcome: 'begun', epoch: String(BigInt(epoch) + 1n) };
    });
  }

  private async stands(sale: Sale, epoch: string): Promise<boolean> {
    const epochs = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.scripts.epochOf(shard)));
    return epochs.every((standing) => standing === epoch);
  }

  private async build(saleId: string, epoch: string): Promise<Built> {
    return inTransaction(this.dataSource, async (manager) => {
      const current = await lockSale(manager, saleId);
      // Somebody began a newer build meanwhile, which reads what this one would have read, but may not be done yet.
      if (current !== epoch) return { outcome: 'overtaken' };
      const sale = await this.sales.get(saleId, manager);
      const snapshot = await readSnapshot(manager, sale, new Date(this.clock.nowMs()));
      return { outcome: 'loaded', epoch, tokens: await this.loadShards(sale, epoch, snapshot) };
    });
  }

  /** Every shard is frozen and built anew, the healthy ones too: they belong to one epoch, and lose nothing by it. */
  private async loadShards(sale: Sale, epoch: string, snapshot: SaleSnapshot): Promise<number> {
    const policy = shardPolicy(sale, this.settings.RETENTION_SECONDS);
    let tokens = 0;
    for (const shard of shardsOf(sale.id, sale.shards)) {
      const frozen = await this.scripts.freeze(shard, epoch);
      if (frozen.outcome === 'newer') continue;
      if (frozen.why !== '') this.logger.warn({ shard: shardName(shard), why: frozen.why, msg: 'the state contradicted itself and is built anew' });
      const loaded = await this.scripts.load(shard, buildShard(shard, epoch, policy, snapshot, frozen.tickets));
      if (loaded.outcome === 'loaded') tokens += loaded.tokens;
    }
    return tokens;
  }
}

const draftRefused = (): DomainError => new DomainError('SALE_STATE_CONFLICT', 'A draft can not be preloaded: publish the sale first.');

async function lockSale(executor: Executor, saleId: string): Promise<string> {
  const [row] = await select(executor, `SELECT epoch, state = 'draft' AS is_draft FROM sales WHERE id = ? FOR UPDATE`, [saleId]);
  if (!row) throw new DomainError('SALE_NOT_FOUND', `There is no sale ${saleId}.`);
  // A shadow sale becomes a draft again before it is removed, and nothing of it may be built behind that.
  if (integer(row, 'is_draft') === 1) throw draftRefused();
  return text(row, 'epoch');
}
