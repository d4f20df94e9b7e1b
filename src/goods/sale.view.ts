import type { OperatorSaleDto, OperatorSaleItemDto, SaleDto, SaleItemDto } from './dto/sale.answers.js';
import type { SaleItem } from './entities/sale-item.entity.js';
import type { Sale } from './entities/sale.entity.js';
import type { UnitsLeft } from './remaining.js';
import { saleState } from './sale-state.js';

/** The sale as everyone sees it; `nowMs` is Redis time. */
export function publicView(sale: Sale, left: UnitsLeft, nowMs: number): SaleDto {
  return { ...header(sale, nowMs), items: sale.items.map((item) => itemView(item, left)) };
}

/** The sale as operators see it. */
export function operatorView(sale: Sale, left: UnitsLeft, nowMs: number): OperatorSaleDto {
  const { mode, paymentTimeoutSeconds, standbyLimit, shards } = sale;
  const claims = sale.claimsStopped ? 'stop' : 'go_on';
  const closed = sale.closedAt === null ? {} : { closedAt: sale.closedAt.toISOString() };
  const items = sale.items.map((item): OperatorSaleItemDto => ({ ...itemView(item, left), sold: item.sold }));
  return { ...header(sale, nowMs), mode, paymentTimeoutSeconds, standbyLimit, shards, claims, ...closed, items };
}

function header(sale: Sale, nowMs: number): Omit<SaleDto, 'items'> {
  return {
    id: sale.id,
    title: sale.title,
    startsAt: sale.startsAt.toISOString(),
    endsAt: sale.endsAt.toISOString(),
    state: saleState(sale, nowMs),
    serverTime: new Date(nowMs).toISOString(),
  };
}

function itemView({ id, goodsId, goods, priceMinor, currency, stock, limitPerUser }: SaleItem, left: UnitsLeft): SaleItemDto {
  const { title, imageUrl, listPriceMinor } = goods;
  return { id, goodsId, title, imageUrl, listPriceMinor, priceMinor, currency, stock, remaining: left.get(id) ?? 0, limitPerUser };
}
