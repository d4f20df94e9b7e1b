import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { CreateGoodsDto, EditGoodsDto } from './goods.dto.js';
import { CreateSaleDto, EditSaleDto } from './sale.dto.js';

const item = { goodsId: '1', priceMinor: 100, stock: 8, limitPerUser: 1 };
const sale = { title: 'Sale', startsAt: '2026-11-11T11:00:00Z', endsAt: '2026-11-11T13:00:00Z', items: [item] };
const goods = { title: 'Kettle', listPriceMinor: 100, currency: 'EUR' };

function wrongFields(type: new () => object, body: object): string[] {
  const errors = validateSync(plainToInstance(type, body), { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true });
  return fieldsOf(errors);
}

function fieldsOf(errors: ValidationError[], path = ''): string[] {
  return errors.flatMap(({ property, constraints, children = [] }) => [
    ...(constraints ? [path + property] : []),
    ...fieldsOf(children, `${path}${property}.`),
  ]);
}

describe('CreateSaleDto', () => {
  it('takes the least and the most that can be said', () => {
    const all = { ...sale, mode: 'instant', paymentTimeoutSeconds: 86_400, standbyLimit: 0, shards: 64 };
    expect([wrongFields(CreateSaleDto, sale), wrongFields(CreateSaleDto, all)]).toEqual([[], []]);
  });

  it.each(['2026-11-11T11:00:00+08:00', '2024-02-29T00:00Z', '2026-11-11T11:00:00.123456Z'])('takes %s as a moment', (startsAt) => {
    expect(wrongFields(CreateSaleDto, { ...sale, startsAt })).toEqual([]);
  });

  it.each(['2026-11-11T11:00:00', '2026-11-11', '2025-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '9999-12-31T23:59:59-12:00', '', 1_700_000_000_000, null])(
    'does not take %p as a moment',
    (startsAt) => {
      expect(wrongFields(CreateSaleDto, { ...sale, startsAt })).toEqual(['startsAt']);
    },
  );

  it.each([['5'], [1.5], [0], [-1], [1_000_001], [Infinity], [NaN], [null], [true], [[5]]])('does not take %p as a stock', (stock) => {
    expect(wrongFields(CreateSaleDto, { ...sale, items: [{ ...item, stock }] })).toEqual(['items.0.stock']);
  });

  it.each(['mode', 'paymentTimeoutSeconds', 'standbyLimit', 'shards', 'items'])('does not take null for %s', (field) => {
    expect(wrongFields(CreateSaleDto, { ...sale, [field]: null })).toEqual([field]);
  });

  it.each([[[null]], [[[item]]], [[[]]], [['x']], [{ 0: item }], [[]]])('does not take %j as items', (items) => {
    expect(wrongFields(CreateSaleDto, { ...sale, items })).toContain('items');
  });

  it('does not take what it does not know', () => {
    expect(wrongFields(CreateSaleDto, { ...sale, state: 'live', items: [{ ...item, currency: 'EUR' }] })).toEqual(['state', 'items.0.currency']);
  });
});

describe('EditSaleDto', () => {
  it('takes some of the fields, but null for none of them', () => {
    expect(wrongFields(EditSaleDto, {})).toEqual([]);
    expect(wrongFields(EditSaleDto, { title: null, startsAt: null, standbyLimit: null })).toEqual(['title', 'startsAt', 'standbyLimit']);
    expect(wrongFields(EditSaleDto, { shards: 2 })).toEqual(['shards']);
  });
});

describe('goods', () => {
  it('trims titles and refuses empty ones', () => {
    expect(plainToInstance(CreateGoodsDto, { ...goods, title: '  Kettle ' }).title).toBe('Kettle');
    expect(wrongFields(CreateGoodsDto, { ...goods, title: '   ' })).toEqual(['title']);
  });

  it.each(['javascript:alert(1)', '/kettle.jpg', 'http://', 'https://a b', 'ftp://a/b', '', 5])('does not take %p as an image', (imageUrl) => {
    expect(wrongFields(CreateGoodsDto, { ...goods, imageUrl })).toEqual(['imageUrl']);
  });

  it('empties description and image by null, and nothing else', () => {
    expect(wrongFields(EditGoodsDto, { description: null, imageUrl: null })).toEqual([]);
    expect(wrongFields(EditGoodsDto, { title: null, listPriceMinor: null, currency: null })).toEqual(['title', 'listPriceMinor', 'currency']);
  });
});
