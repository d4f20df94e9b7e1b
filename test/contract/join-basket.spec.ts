import type { Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { expectRefusal } from './refusals.js';

describe('a join', () => {
  let shop: Shop;
  let sale: TestSale;
  let shopper: Api;
  let itemId: string;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api', 'scheduler']);
    sale = await shop.sale({ items: Array.from({ length: 11 }, () => ({ stock: 5, limitPerUser: 5 })) });
    itemId = sale.itemIds[0] ?? '';
    shopper = await shop.shopper();
  });
  afterAll(() => shop.close());

  const line = (change: object = {}): object => ({ itemId, quantity: 1, ...change });
  const lines = (count: number): object[] => sale.itemIds.slice(0, count).map((id) => line({ itemId: id }));

  const quantities = [0, -5, -1, 1.5, '1', 1001, 1e21, Number.MAX_SAFE_INTEGER + 1, null, true, [1], {}, ''];
  const baskets: [string, () => unknown][] = [
    ['no items', () => ({})],
    ['an empty basket', () => ({ items: [] })],
    ['eleven lines', () => ({ items: lines(11) })],
    ['an item twice', () => ({ items: [line(), line({ quantity: 2 })] })],
    ['an item twice among others', () => ({ items: [...lines(4), line()] })],
    ...quantities.map((quantity): [string, () => unknown] => [`quantity ${JSON.stringify(quantity)}`, () => ({ items: [line({ quantity })] })]),
    ['no quantity', () => ({ items: [{ itemId }] })],
    ['no item', () => ({ items: [{ quantity: 1 }] })],
    ...[5, null, '', '0', '-1', '1e3', 'x', '01', ' 1', ['1'], {}, '9'.repeat(30), '__proto__'].map((id): [string, () => unknown] => [
      `item ${JSON.stringify(id)}`, () => ({ items: [line({ itemId: id })] }),
    ]),
    ['one bad line among good ones', () => ({ items: [...lines(3), line({ itemId: sale.itemIds[5], quantity: 0 })] })],
    ['an unknown field', () => ({ items: [line()], userId: '1' })],
    ['an unknown field in a line', () => ({ items: [line({ priceMinor: 1 })] })],
    ['items that are no list', () => ({ items: line() })],
    ['items like a list', () => ({ items: { 0: line(), length: 1 } })],
    ...[null, 'x', 5, true, {}].map((items): [string, () => unknown] => [`items ${JSON.stringify(items)}`, () => ({ items })]),
    ...[null, 'x', 5, []].map((entry): [string, () => unknown] => [`the line ${JSON.stringify(entry)}`, () => ({ items: [entry] })]),
    ['a list as body', () => [line()]],
    ['a list of a basket as body', () => [{ items: [line()] }]],
    ['an empty list as body', () => []],
    ['null as body', () => 'null'],
    ['a number as body', () => '5'],
    ['a text as body', () => '"items"'],
    ['no body', () => undefined],
    ['an empty body', () => ''],
    ['no JSON', () => `{"items":[{"itemId":"${itemId}","quantity":1}`],
    ['a quantity beyond all numbers', () => `{"items":[{"itemId":"${itemId}","quantity":1e400}]}`],
    ['a quantity that is not a number', () => `{"items":[{"itemId":"${itemId}","quantity":NaN}]}`],
    ['a prototype', () => `{"items":[{"itemId":"${itemId}","quantity":1}],"__proto__":{"role":"operator"}}`],
  ];

  it.each(baskets)('is refused with %s', async (_, body) => {
    await expectRefusal(shop, () => shopper.post(`/sales/${sale.id}/tickets`, body()), 400, 'INVALID_BASKET');
  });

  it.each(['0', '-1', '1e3', '{1:0}', '9'.repeat(30), '1'.repeat(90), '../', '999999', '1.0', '+1', '٣', "1' OR '1'='1", '*', 'null', 'undefined', ' 1'])(
    'is refused for sale %j, which is not there',
    async (id) => {
      const path = `/sales/${encodeURIComponent(id)}`;
      await expectRefusal(shop, () => shopper.post(`${path}/tickets`, { items: [line()] }), 404, 'SALE_NOT_FOUND');
      await expectRefusal(shop, () => shopper.get(`${path}/ticket`), 404, 'SALE_NOT_FOUND');
      await expectRefusal(shop, () => shopper.delete(`${path}/ticket`), 404, 'SALE_NOT_FOUND');
    },
  );

  it('is refused for an item of another sale, and for one that does not exist', async () => {
    const other = await shop.sale();
    for (const foreign of [other.itemIds[0] ?? '', '999999999999999999']) {
      const basket = [...sale.itemIds.slice(0, 2), foreign].map((id) => ({ itemId: id, quantity: 1 }));
      const { body } = await expectRefusal(shop, () => shop.join(shopper, sale, basket), 404, 'ITEM_NOT_FOUND');
      expect(body.itemId).toBe(foreign);
    }
  });

  it('is refused before the sale starts, whether it is preloaded or not, saying when', async () => {
    for (const startsInMs of [60_000, 3_600_000]) {
      const later = await shop.sale({ startsInMs, endsInMs: 7_200_000 });
      expect(await shop.redis.exists(`seckill:{${later.id}:0}:sale`)).toBe(startsInMs === 60_000 ? 1 : 0);
      const { startsAt } = ok(await shop.api.get(`/sales/${later.id}`), 200).body;
      const { body } = await expectRefusal(shop, () => shop.join(shopper, later), 403, 'NOT_STARTED');
      expect(body.startsAt).toBe(startsAt);
      ok(await shop.operator.post(`/admin/sales/${later.id}/pause`), 200);
      await expectRefusal(shop, () => shop.join(shopper, later), 403, 'NOT_STARTED');
      await expectRefusal(shop, () => shopper.get(`/sales/${later.id}/ticket`), 404, 'NO_TICKET');
    }
  });

  it('is refused while the sale is paused and after its end', async () => {
    const short = await shop.sale();
    ok(await shop.operator.post(`/admin/sales/${short.id}/pause`), 200);
    await expectRefusal(shop, () => shop.join(shopper, short), 403, 'PAUSED');
    ok(await shop.operator.post(`/admin/sales/${short.id}/end`), 200);
    await expectRefusal(shop, () => shop.join(shopper, short), 410, 'ENDED');
  });

  it('is still good after all those refusals, and first in line', async () => {
    expect(ok(await shop.join(shopper, sale, [{ itemId, quantity: 2 }]), 202).body.position).toBe(1);
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  });

  it('takes ten lines of a thousand units each, in the order of the line', async () => {
    const large = await shop.sale({ items: Array.from({ length: 10 }, () => ({ stock: 1000, limitPerUser: 1000 })) });
    const { body, headers } = ok(await shop.join(shopper, large, large.itemIds.map((id) => ({ itemId: id, quantity: 1000 }))), 202);
    expect(body).toEqual({ ticketId: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'queued', position: 1, pollAfterMs: expect.any(Number) });
    expect([headers.get('location'), headers.get('retry-after')]).toEqual([`/api/sales/${large.id}/ticket`, String(Math.ceil(body.pollAfterMs / 1000))]);
    expect(ok(await shop.join(await shop.shopper(), large), 202).body).toMatchObject({ status: 'queued', position: 2 });
  });
});
