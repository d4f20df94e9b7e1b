import { DomainError } from '../infra/errors.js';
import type { CreateSaleDto, CreateSaleItemDto } from './dto/sale.dto.js';

/** What is wrong with a request, in the form in which the validation of single fields tells it. */
export interface Fault {
  field: string;
  message: string;
}

/** The rules for a new sale that concern more than one field. */
export function faultsOfDraft(draft: CreateSaleDto, nowMs: number): Fault[] {
  const window = { startsAt: new Date(draft.startsAt), endsAt: new Date(draft.endsAt) };
  return [...faultsOfWindow(window, nowMs), ...repeatedGoods(draft.items), ...stockBelowShards(draft.items, draft.shards ?? 1)];
}

/** A window must have a length and must not have passed; it may have begun. */
export function faultsOfWindow({ startsAt, endsAt }: { startsAt: Date; endsAt: Date }, nowMs: number): Fault[] {
  if (startsAt >= endsAt) return [{ field: 'endsAt', message: 'endsAt must be later than startsAt' }];
  if (endsAt.getTime() <= nowMs) return [{ field: 'endsAt', message: 'endsAt must be in the future' }];
  return [];
}

/** An order has one currency, and any items of a sale may end up in one basket. */
export function faultsOfCurrencies(currencies: string[]): Fault[] {
  const distinct = [...new Set(currencies)];
  return distinct.length > 1 ? [{ field: 'items', message: `all items must have one currency, but have ${distinct.join(', ')}` }] : [];
}

/** @throws DomainError VALIDATION_FAILED when there are faults */
export function refuse(faults: Fault[]): void {
  const [first] = faults;
  if (first) throw new DomainError('VALIDATION_FAILED', first.message, { errors: faults });
}

function repeatedGoods(items: CreateSaleItemDto[]): Fault[] {
  return items.flatMap(({ goodsId }, index) => {
    const isRepeated = items.findIndex((other) => other.goodsId === goodsId) < index;
    return isRepeated ? [{ field: `items.${index}.goodsId`, message: `goods ${goodsId} is in the sale twice` }] : [];
  });
}

function stockBelowShards(items: CreateSaleItemDto[], shards: number): Fault[] {
  return items.flatMap(({ stock }, index) =>
    stock < shards ? [{ field: `items.${index}.stock`, message: `stock must be at least the number of shards, ${shards}` }] : [],
  );
}
