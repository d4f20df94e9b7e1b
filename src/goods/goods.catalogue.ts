import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { And, DataSource, LessThan, Raw, Repository, type EntityManager } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { inTransaction } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import type { CreateGoodsDto, EditGoodsDto, GoodsDto, GoodsPageDto } from './dto/goods.dto.js';
import { Goods } from './entities/goods.entity.js';
import { SaleItem } from './entities/sale-item.entity.js';
import { isId } from './ids.js';
import { SHADOW_SALE_IDS } from './shadow-sale.js';

const PAGE = 100;

/** The catalogue: goods that may be offered in sales. */
@Injectable()
export class GoodsCatalogue {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(Goods) private readonly goods: Repository<Goods>,
    private readonly clock: RedisClock,
  ) {}

  /** Adds a goods. */
  async add({ title, description = null, imageUrl = null, listPriceMinor, currency }: CreateGoodsDto): Promise<GoodsDto> {
    const now = new Date(this.clock.nowMs());
    const goods = this.goods.create({ title, description, imageUrl, listPriceMinor, currency, createdAt: now, updatedAt: now });
    await this.goods.insert(goods);
    return describe(goods);
  }

  /** A page of goods, newest first, but none of a shadow sale; `before` is the id where the page before ended. */
  async list(before?: string): Promise<GoodsPageDto> {
    const offered = before === undefined ? NOT_REHEARSED : And(NOT_REHEARSED, LessThan(before));
    const found = await this.goods.find({ where: { id: offered }, order: { id: 'DESC' }, take: PAGE + 1 });
    const goods = found.slice(0, PAGE).map(describe);
    const last = goods.at(-1);
    return found.length > PAGE && last ? { goods, nextCursor: last.id } : { goods };
  }

  /**
   * Changes what is given. Prices of sales are their own and stay.
   * @throws DomainError GOODS_NOT_FOUND, or SALE_STATE_CONFLICT for another currency once a sale offers the goods
   */
  async edit(goodsId: string, changes: EditGoodsDto): Promise<GoodsDto> {
    return inTransaction(this.dataSource, async (manager) => {
      const goods = isId(goodsId) ? await manager.findOne(Goods, { where: { id: goodsId }, lock: { mode: 'pessimistic_write' } }) : null;
      if (!goods) throw goodsNotFound(goodsId);
      const { currency = goods.currency } = changes;
      if (currency !== goods.currency) await refuseWhenOffered(manager, goods.id);
      const edited = { ...onlyGiven(changes), updatedAt: new Date(this.clock.nowMs()) };
      await manager.update(Goods, { id: goods.id }, edited);
      return describe({ ...goods, ...edited });
    });
  }
}

/** Index: uq_sale_items_goods, of hardly ever more than one sale. */
const NOT_REHEARSED = Raw<string>((id) => `${id} NOT IN (SELECT goods_id FROM sale_items WHERE sale_id IN (${SHADOW_SALE_IDS}))`);

/** The refusal for a goods that isn't there. */
export const goodsNotFound = (goodsId: string): DomainError => new DomainError('GOODS_NOT_FOUND', `There is no goods ${goodsId}.`, { goodsId });

/** The goods' row is locked, and a sale that is being created holds it too (see SaleEditor), so none can slip in between. */
async function refuseWhenOffered(manager: EntityManager, goodsId: string): Promise<void> {
  if (await manager.existsBy(SaleItem, { goodsId })) {
    throw new DomainError('SALE_STATE_CONFLICT', 'A sale offers this goods: its currency can not change any more.');
  }
}

function onlyGiven(changes: EditGoodsDto): EditGoodsDto {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function describe({ id, title, description, imageUrl, listPriceMinor, currency, createdAt, updatedAt }: Goods): GoodsDto {
  return { id, title, description, imageUrl, listPriceMinor, currency, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
