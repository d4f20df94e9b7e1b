import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Settings } from '../config/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { execute, inTransaction, integer, placeholders, select, text } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import type { CreateSaleDto, CreateSaleItemDto, EditSaleDto } from './dto/sale.dto.js';
import { Sale } from './entities/sale.entity.js';
import { goodsNotFound } from './goods.catalogue.js';
import { isId } from './ids.js';
import { recordChange } from './sale-audit.js';
import { saleState } from './sale-state.js';
import { SaleReader } from './sale.reader.js';
import { SaleRollout } from './sale.rollout.js';
import { faultsOfCurrencies, faultsOfDraft, faultsOfWindow, refuse } from './sale.rules.js';

/** An end nearer than this is not moved any more: it might be there before the change is. */
const LAST_MOMENT_MS = 1000;

/** What `edit` may change. */
type Editable = Pick<Sale, 'title' | 'startsAt' | 'endsAt' | 'paymentTimeoutSeconds' | 'standbyLimit'>;

/** Creates sales and changes them, in the bounds of what may still change. */
@Injectable()
export class SaleEditor {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly rollout: SaleRollout,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
  ) {}

  /**
   * Writes a draft with its items.
   * @throws DomainError VALIDATION_FAILED or GOODS_NOT_FOUND
   */
  async create(draft: CreateSaleDto): Promise<Sale> {
    refuse(faultsOfDraft(draft, this.clock.nowMs()));
    const saleId = await inTransaction(this.dataSource, async (manager) => {
      const currencies = await currenciesOf(manager, draft.items);
      refuse(faultsOfCurrencies([...currencies.values()]));
      const sale = this.draftOf(draft);
      await manager.insert(Sale, sale);
      await insertItems(manager, sale.id, draft.items, currencies);
      return sale.id;
    });
    return this.sales.get(saleId);
  }

  /**
   * Changes what is given: title and end until the sale is over, its start until it opens, the rest while it is a draft.
   * @throws DomainError SALE_NOT_FOUND, SALE_STATE_CONFLICT or VALIDATION_FAILED
   */
  async edit(saleId: string, changes: EditSaleDto, operatorId: string | null): Promise<Sale> {
    const { id } = await this.sales.get(saleId);
    await inTransaction(this.dataSource, async (manager) => {
      const sale = await lockForChange(manager, id);
      this.refuseWhereTooLate(sale, changes);
      const edited = this.edited(sale, changes);
      const nowMs = this.clock.nowMs();
      await manager.update(Sale, { id }, { ...edited, updatedAt: new Date(nowMs) });
      await recordChange(manager, { saleId: id, operatorId, action: 'edit', before: { ...editable(sale) }, after: { ...editable(edited) } }, nowMs);
    });
    const sale = await this.sales.get(id);
    await this.rollout.follow(sale);
    return sale;
  }

  /**
   * Changes how many units of an item a shopper may have. It counts for every join, and every ticket in line, from now on; who has more keeps them.
   * @throws DomainError SALE_NOT_FOUND, ITEM_NOT_FOUND, or SALE_STATE_CONFLICT for a sale that is over
   */
  async changeLimit(saleId: string, itemId: string, limitPerUser: number, operatorId: string | null): Promise<Sale> {
    const { id } = await this.sales.get(saleId);
    await inTransaction(this.dataSource, async (manager) => {
      const sale = await lockForChange(manager, id);
      const nowMs = this.clock.nowMs();
      if (saleState(sale, nowMs) === 'ended') throw new DomainError('SALE_STATE_CONFLICT', 'The sale is over.', { state: 'ended' });
      const [item] = isId(itemId) ? await select(manager, 'SELECT limit_per_user FROM sale_items WHERE id = ? AND sale_id = ? FOR UPDATE', [itemId, id]) : [];
      if (!item) throw new DomainError('ITEM_NOT_FOUND', `Item ${itemId} is not part of this sale.`);
      await execute(manager, 'UPDATE sale_items SET limit_per_user = ? WHERE id = ?', [limitPerUser, itemId]);
      const before = { itemId, limitPerUser: integer(item, 'limit_per_user') };
      await recordChange(manager, { saleId: id, operatorId, action: 'limit', before, after: { itemId, limitPerUser } }, nowMs);
    });
    const sale = await this.sales.get(id);
    await this.rollout.follow(sale);
    return sale;
  }

  /**
   * Throws a draft away, with its items.
   * @throws DomainError SALE_NOT_FOUND, or SALE_STATE_CONFLICT for a sale that was published
   */
  async discard(saleId: string): Promise<void> {
    const { id } = await this.sales.get(saleId);
    await inTransaction(this.dataSource, async (manager) => {
      const sale = await manager.findOne(Sale, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (sale && sale.stage !== 'draft') throw new DomainError('SALE_STATE_CONFLICT', 'Only a draft can be thrown away; a published sale can be ended.');
      await execute(manager, 'DELETE FROM sale_items WHERE sale_id = ?', [id]);
      await execute(manager, 'DELETE FROM sales WHERE id = ?', [id]);
    });
  }

  private draftOf(draft: CreateSaleDto): Sale {
    const now = new Date(this.clock.nowMs());
    return Object.assign(new Sale(), {
      title: draft.title,
      stage: 'draft',
      startsAt: new Date(draft.startsAt),
      endsAt: new Date(draft.endsAt),
      mode: draft.mode ?? 'queue',
      paymentTimeoutSeconds: draft.paymentTimeoutSeconds ?? this.settings.PAYMENT_TIMEOUT_SECONDS,
      standbyLimit: draft.standbyLimit ?? 0,
      shards: draft.shards ?? 1,
      createdAt: now,
      updatedAt: now,
    });
  }

  private refuseWhereTooLate(sale: Sale, { startsAt, paymentTimeoutSeconds, standbyLimit }: EditSaleDto): void {
    if (sale.stage === 'draft') return;
    const nowMs = this.clock.nowMs();
    const state = saleState(sale, nowMs);
    if (state === 'ended') throw new DomainError('SALE_STATE_CONFLICT', 'The sale is over.', { state });
    if (sale.endsAt.getTime() - LAST_MOMENT_MS <= nowMs) throw new DomainError('SALE_STATE_CONFLICT', 'The sale ends this very moment.', { state });
    if (startsAt !== undefined && sale.startsAt.getTime() <= nowMs) {
      throw new DomainError('SALE_STATE_CONFLICT', `The sale is ${state}: its start lies in the past.`, { state });
    }
    if (paymentTimeoutSeconds !== undefined || standbyLimit !== undefined) {
      throw new DomainError('SALE_STATE_CONFLICT', 'paymentTimeoutSeconds and standbyLimit can only be edited while the sale is a draft.', { state });
    }
  }

  private edited(sale: Sale, changes: EditSaleDto): Editable {
    const window = {
      startsAt: changes.startsAt === undefined ? sale.startsAt : new Date(changes.startsAt),
      endsAt: changes.endsAt === undefined ? sale.endsAt : new Date(changes.endsAt),
    };
    if (changes.startsAt !== undefined || changes.endsAt !== undefined) refuse(faultsOfWindow(window, this.clock.nowMs()));
    const { title = sale.title, paymentTimeoutSeconds = sale.paymentTimeoutSeconds, standbyLimit = sale.standbyLimit } = changes;
    return { ...window, title, paymentTimeoutSeconds, standbyLimit };
  }
}

const editable = ({ title, startsAt, endsAt, paymentTimeoutSeconds, standbyLimit }: Editable): Editable => ({ title, startsAt, endsAt, paymentTimeoutSeconds, standbyLimit });

async function lockForChange(manager: EntityManager, id: string): Promise<Sale> {
  const sale = await manager.findOne(Sale, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!sale) throw new DomainError('SALE_NOT_FOUND', `There is no sale ${id}.`);
  return sale;
}

/**
 * The currency of each goods, by id. The rows stay locked (shared) until the sale is written, so that no currency changes meanwhile.
 * `LOCK IN SHARE MODE`, as MariaDB does not know `FOR SHARE`.
 */
async function currenciesOf(manager: EntityManager, items: CreateSaleItemDto[]): Promise<Map<string, string>> {
  const ids = items.map(({ goodsId }) => goodsId);
  const possible = ids.filter(isId);
  const sql = 'SELECT id, currency FROM goods WHERE id IN (?) ORDER BY id LOCK IN SHARE MODE';
  const rows = possible.length > 0 ? await select(manager, sql, [possible]) : [];
  const currencies = new Map(rows.map((row) => [text(row, 'id'), text(row, 'currency')]));
  const missing = ids.find((id) => !currencies.has(id));
  if (missing !== undefined) throw goodsNotFound(missing);
  return currencies;
}

async function insertItems(manager: EntityManager, saleId: string, items: CreateSaleItemDto[], currencies: Map<string, string>): Promise<void> {
  const values = items.flatMap(({ goodsId, priceMinor, stock, limitPerUser }) => [
    saleId, goodsId, priceMinor, currencies.get(goodsId), stock, stock, limitPerUser,
  ]);
  const columns = 'sale_id, goods_id, price_minor, currency, issued, stock, limit_per_user';
  await execute(manager, `INSERT INTO sale_items (${columns}) VALUES ${placeholders(items.length, 7)}`, values);
}
