import { stored } from '../../shared/stored';
import type { SaleItem } from './shop-api';

/** Lines that a join may have. */
const MAX_LINES = 10;
const MAX_QUANTITY = 1000;

/** Quantities by item. */
export type Quantities = Record<string, number>;

/** What the shopper has put together, in the sale looked at last; it outlives a reload. */
export const basket = stored<{ saleId: string; quantities: Quantities } | null>('seckill.basket', basketFrom, null);

function basketFrom(value: unknown): { saleId: string; quantities: Quantities } | undefined {
  if (typeof value !== 'object' || value === null || !('saleId' in value) || !('quantities' in value)) return undefined;
  const { saleId, quantities } = value;
  if (typeof saleId !== 'string' || typeof quantities !== 'object' || quantities === null) return undefined;
  return { saleId, quantities: Object.fromEntries(Object.entries(quantities).filter((entry): entry is [string, number] => Number.isInteger(entry[1]))) };
}

export const mostOf = ({ limitPerUser }: Pick<SaleItem, 'limitPerUser'>): number => Math.min(limitPerUser, MAX_QUANTITY);

/** The quantities for a sale's items, within their limits. A sale of one item has it in the basket from the start. */
export function quantitiesFor(saleId: string, items: readonly SaleItem[]): Quantities {
  const kept = basket.value?.saleId === saleId ? basket.value.quantities : {};
  const first = items.length === 1 ? 1 : 0;
  return Object.fromEntries(items.map((item) => [item.id, Math.max(first, Math.min(kept[item.id] ?? first, mostOf(item)))]));
}

export function setQuantity(saleId: string, items: readonly SaleItem[], itemId: string, quantity: number): void {
  basket.value = { saleId, quantities: { ...quantitiesFor(saleId, items), [itemId]: quantity } };
}

/** The basket as a join sends it. */
export const linesOf = (quantities: Quantities): { itemId: string; quantity: number }[] =>
  Object.entries(quantities).filter(([, quantity]) => quantity > 0).map(([itemId, quantity]) => ({ itemId, quantity }));

/** Whether another item still fits into one join. */
export const hasRoom = (quantities: Quantities): boolean => linesOf(quantities).length < MAX_LINES;
