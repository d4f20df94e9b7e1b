import type { CreateSaleDto } from './dto/sale.dto.js';
import { faultsOfCurrencies, faultsOfDraft, faultsOfWindow, refuse } from './sale.rules.js';

const NOW = Date.parse('2026-11-11T12:00:00Z');
const item = { goodsId: '1', priceMinor: 100, stock: 8, limitPerUser: 1 };
const draft = (changes: Partial<CreateSaleDto> = {}): CreateSaleDto => ({
  title: 'Sale',
  startsAt: '2026-11-11T11:00:00Z',
  endsAt: '2026-11-11T13:00:00Z',
  items: [item],
  ...changes,
});
const fieldsOf = (changes: Partial<CreateSaleDto>): string[] => faultsOfDraft(draft(changes), NOW).map(({ field }) => field);

describe('rules for a new sale', () => {
  it('accept a window that has begun', () => {
    expect(fieldsOf({})).toEqual([]);
  });

  it('compare moments, not their texts', () => {
    expect(fieldsOf({ startsAt: '2026-11-11T14:00:00+02:00', endsAt: '2026-11-11T13:00:00Z' })).toEqual([]);
    expect(fieldsOf({ startsAt: '2026-11-11T12:30:00-01:00', endsAt: '2026-11-11T13:00:00Z' })).toEqual(['endsAt']);
  });

  it('refuse an empty window and one that has passed', () => {
    expect(fieldsOf({ startsAt: '2026-11-11T13:00:00Z' })).toEqual(['endsAt']);
    expect(faultsOfWindow({ startsAt: new Date(NOW - 2), endsAt: new Date(NOW) }, NOW)).toHaveLength(1);
    expect(faultsOfWindow({ startsAt: new Date(NOW - 2), endsAt: new Date(NOW + 1) }, NOW)).toEqual([]);
  });

  it('refuse the same goods twice', () => {
    expect(fieldsOf({ items: [item, { ...item, goodsId: '2' }, { ...item, stock: 9 }] })).toEqual(['items.2.goodsId']);
  });

  it('want a unit of each item for each shard', () => {
    expect(fieldsOf({ shards: 8 })).toEqual([]);
    expect(fieldsOf({ shards: 9, items: [{ ...item, stock: 9 }, { ...item, goodsId: '2' }] })).toEqual(['items.1.stock']);
  });

  it('want one currency', () => {
    expect(faultsOfCurrencies(['EUR', 'EUR'])).toEqual([]);
    expect(faultsOfCurrencies(['EUR', 'USD'])).toHaveLength(1);
  });

  it('refuse with every fault', () => {
    expect(() => refuse([])).not.toThrow();
    expect(() => refuse([{ field: 'a', message: 'wrong' }])).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED', message: 'wrong' }));
  });
});
