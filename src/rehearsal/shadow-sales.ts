import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Goods, Preloader, Sale, SaleItem } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { inTransaction } from '../infra/database/index.js';

/** A rehearsal ends long before its sale does, and before any of its orders expires. */
const [LASTS_MS, PAYMENT_TIMEOUT_SECONDS] = [3600 * 1000, 1800];
const [TITLE, PRICE_MINOR, CURRENCY] = ['Rehearsal', 100, 'EUR'];

/** The one item of a shadow sale. */
export interface ShadowSale {
  saleId: string;
  itemId: string;
}

/** Opens the sale of a rehearsal: marked as such from the first moment, open at once, one unit a shopper. */
@Injectable()
export class ShadowSales {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly preloader: Preloader,
    private readonly clock: RedisClock,
  ) {}

  /** Answers once it can be joined. */
  async open(rehearsalId: string, stock: number): Promise<ShadowSale> {
    const sale = await inTransaction(this.dataSource, (manager) => this.write(manager, rehearsalId, stock));
    await this.preloader.preload(sale.saleId);
    return sale;
  }

  private async write(manager: EntityManager, rehearsalId: string, stock: number): Promise<ShadowSale> {
    const now = new Date(this.clock.nowMs());
    const dated = { createdAt: now, updatedAt: now };
    const goods = manager.create(Goods, { title: TITLE, description: null, imageUrl: null, listPriceMinor: PRICE_MINOR, currency: CURRENCY, ...dated });
    await manager.insert(Goods, goods);
    const sale = manager.create(Sale, {
      title: TITLE, stage: 'published', startsAt: now, endsAt: new Date(now.getTime() + LASTS_MS), mode: 'queue',
      paymentTimeoutSeconds: PAYMENT_TIMEOUT_SECONDS, standbyLimit: 0, shards: 1, rehearsalId, ...dated,
    });
    await manager.insert(Sale, sale);
    const item = manager.create(SaleItem, { saleId: sale.id, goodsId: goods.id, priceMinor: PRICE_MINOR, currency: CURRENCY, issued: stock, stock, limitPerUser: 1 });
    await manager.insert(SaleItem, item);
    return { saleId: sale.id, itemId: item.id };
  }
}
