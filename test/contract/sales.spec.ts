import type { Answer } from '../harness/api.js';
import { ok, Shop } from '../harness/shop.js';
import { expectRefusal } from './refusals.js';

const WINDOW = { startsAt: '2020-01-01T00:00:00Z', endsAt: '2090-01-01T00:00:00Z' };
const goodsOf = { title: 'Kettle', listPriceMinor: 4990, currency: 'EUR' };

describe('a new sale', () => {
  let shop: Shop;
  let goodsId: string;
  let other: string;
  let dollars: string;
  beforeAll(async () => {
    shop = await Shop.open();
    const add = async (change: object): Promise<string> => ok(await shop.operator.post('/admin/goods', { ...goodsOf, ...change }), 201).body.id;
    [goodsId, other, dollars] = [await add({ imageUrl: 'https://shop.example/kettle.jpg' }), await add({ title: 'Pot' }), await add({ currency: 'USD' })];
  });
  afterAll(() => shop.close());

  const item = (change: object = {}): object => ({ goodsId, priceMinor: 1990, stock: 5, limitPerUser: 2, ...change });
  const draft = (change: object = {}): object => ({ title: 'Sale', ...WINDOW, items: [item()], ...change });

  it('is a draft with its items, and takes defaults for what is left out', async () => {
    const { body } = ok(await shop.operator.post('/admin/sales', draft({ items: [item(), item({ goodsId: other, stock: 7 })] })), 201);
    const common = { priceMinor: 1990, listPriceMinor: 4990, currency: 'EUR', limitPerUser: 2, sold: 0 };
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/), title: 'Sale', state: 'draft', mode: 'queue', paymentTimeoutSeconds: 900, standbyLimit: 0, shards: 1, claims: 'go_on',
      startsAt: '2020-01-01T00:00:00.000Z', endsAt: '2090-01-01T00:00:00.000Z', serverTime: expect.any(String),
      items: [
        { ...common, id: expect.stringMatching(/^\d+$/), goodsId, title: 'Kettle', imageUrl: 'https://shop.example/kettle.jpg', stock: 5, remaining: 5 },
        { ...common, id: expect.stringMatching(/^\d+$/), goodsId: other, title: 'Pot', imageUrl: null, stock: 7, remaining: 7 },
      ],
    });
    const shown = ok(await shop.operator.get(`/admin/sales/${body.id}`), 200).body;
    expect(shown).toEqual({ ...body, serverTime: shown.serverTime });
  });

  it('takes the most that can be asked for', async () => {
    const most = { paymentTimeoutSeconds: 86_400, standbyLimit: 10_000_000, shards: 64, mode: 'instant', title: 'x'.repeat(200) };
    const items = [item({ priceMinor: 9_999_999_999, stock: 1_000_000, limitPerUser: 1000 })];
    expect(ok(await shop.operator.post('/admin/sales', draft({ ...most, items })), 201).body).toMatchObject({ ...most, items });
    expect(ok(await shop.operator.post('/admin/sales', draft({ paymentTimeoutSeconds: 1, items: [item({ priceMinor: 0 })] })), 201).body.paymentTimeoutSeconds).toBe(1);
  });

  it('keeps its window as moments, whatever their offset', async () => {
    const window = { startsAt: '2030-06-01T08:00:00.5+08:00', endsAt: '2030-06-01T00:30:00-01:00' };
    expect(ok(await shop.operator.post('/admin/sales', draft(window)), 201).body).toMatchObject({ startsAt: '2030-06-01T00:00:00.500Z', endsAt: '2030-06-01T01:30:00.000Z' });
  });

  const cases = <T>(field: string, values: T[], wrap: (value: T) => object): [string, () => object][] => values.map((value) => [`${field} ${JSON.stringify(value)}`, () => wrap(value)]);
  const wrong: [string, () => object][] = [
    ...cases('title', ['', ' ', 'x'.repeat(201), null, 7], (title) => draft({ title })),
    ...cases('startsAt', ['2020-01-01', '2020-01-01T00:00:00', 'now', 1_600_000_000, null, '2021-02-29T00:00:00Z'], (startsAt) => draft({ startsAt })),
    ...cases('endsAt', ['2020-01-01T00:00:00Z', '2019-01-01T00:00:00Z', '2021-01-01T00:00:00Z', null], (endsAt) => draft({ endsAt })),
    ...cases('mode', ['standby', '', null, 1], (mode) => draft({ mode })),
    ...cases('paymentTimeoutSeconds', [0, -1, 86_401, 1.5, '60', null], (paymentTimeoutSeconds) => draft({ paymentTimeoutSeconds })),
    ...cases('standbyLimit', [-1, 1.5, '5', null, 10_000_001], (standbyLimit) => draft({ standbyLimit })),
    ...cases('shards', [0, -1, 65, 1.5, '2', null, 6], (shards) => draft({ shards })),
    ...cases('items', [[], null, {}, 'x', [null], [[]], ['x']], (items) => draft({ items })),
    ...cases('priceMinor', [-1, 1.5, '5', null, 10_000_000_000], (priceMinor) => draft({ items: [item({ priceMinor })] })),
    ...cases('stock', [0, -5, 1.5, '5', null, 1_000_001], (stock) => draft({ items: [item({ stock })] })),
    ...cases('limitPerUser', [0, -5, 1.5, '5', null, 1001], (limitPerUser) => draft({ items: [item({ limitPerUser })] })),
    ...cases('goodsId', [null, '', 5], (id) => draft({ items: [item({ goodsId: id })] })),
    ['unknown field', () => draft({ state: 'live' })],
    ['unknown field of an item', () => draft({ items: [item({ sold: 3 })] })],
    ['the same goods twice', () => draft({ items: [item(), item({ stock: 1 })] })],
    ['two currencies', () => draft({ items: [item(), item({ goodsId: dollars })] })],
    ['101 items', () => draft({ items: Array.from({ length: 101 }, (_, i) => item({ goodsId: String(i + 1) })) })],
  ];

  it.each(wrong)('is refused with %s', async (_, body) => {
    const answer = await expectRefusal(shop, () => shop.operator.post('/admin/sales', body()), 400, 'VALIDATION_FAILED');
    expect(answer.body.errors[0]).toEqual({ field: expect.any(String), message: expect.any(String) });
  });

  it.each(['{"title":1e400}', 'not JSON', '[]', 'null', '{}'])('is refused by the body %s', async (body) => {
    await expectRefusal(shop, () => shop.operator.post('/admin/sales', body), 400, 'VALIDATION_FAILED');
  });

  it.each(['999999', '0', '-1', '1e0', '01', '1 ', '9'.repeat(20)])('is refused with goods that are not there: %j', async (id) => {
    const { body } = await expectRefusal(shop, () => shop.operator.post('/admin/sales', draft({ items: [item(), item({ goodsId: id })] })), 404, 'GOODS_NOT_FOUND');
    expect(body.goodsId).toBe(id);
  });

  it('is listed to operators newest first, by state and page', async () => {
    const { id } = ok(await shop.operator.post('/admin/sales', draft()), 201).body;
    for (const query of ['', '?state=draft']) expect(ok(await shop.operator.get(`/admin/sales${query}`), 200).body.sales[0]).toMatchObject({ id, state: 'draft' });
    expect(ok(await shop.operator.get('/admin/sales?state=live'), 200).body).toEqual({ sales: [] });
    const older = ok(await shop.operator.get(`/admin/sales?cursor=${id}`), 200).body.sales.map((sale: { id: string }) => Number(sale.id));
    expect(older.length).toBeGreaterThan(0);
    expect(older).toEqual([...older].sort((a, b) => b - a));
    expect(Math.max(...older)).toBeLessThan(Number(id));
  });

  it.each(['/admin/sales?state=open', '/admin/sales?state=', '/admin/sales?cursor=x', '/admin/sales?limit=5', '/sales?state=draft', '/sales?state=soon', '/sales?state=live&state=ended'])(
    'is not looked for by %s',
    async (path) => {
      await expectRefusal(shop, () => shop.operator.get(path), 400, 'VALIDATION_FAILED');
    },
  );

  it('can be thrown away while it is a draft, and not later', async () => {
    const { id: draft } = await shop.sale({ publish: false });
    const { id: open } = await shop.sale();
    const discard = (id: string): Promise<Answer> => shop.operator.call('DELETE', `/admin/sales/${id}`);
    expect([(await discard(draft)).status, (await discard(draft)).body.code, (await discard(open)).body.code]).toEqual([204, 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT']);
    expect((await shop.operator.get(`/admin/sales/${draft}`)).body.code).toBe('SALE_NOT_FOUND');
    ok(await shop.operator.get(`/admin/sales/${open}`), 200);
  });

  describe('that is edited', () => {
    it('changes in what is given', async () => {
      const { id } = ok(await shop.operator.post('/admin/sales', draft()), 201).body;
      const change = { title: 'Other', endsAt: '2080-01-01T00:00:00.000Z', paymentTimeoutSeconds: 60, standbyLimit: 5 };
      expect(ok(await shop.operator.patch(`/admin/sales/${id}`, change), 200).body).toMatchObject({ ...change, startsAt: '2020-01-01T00:00:00.000Z', state: 'draft' });
    });

    const wrong: [change: object][] = [
      [{ title: '' }],
      [{ title: null }],
      [{ title: 'a\u0000b' }],
      [{ title: '\ud800' }],
      [{ constructor: 1 }],
      [{ toString: null }],
      [{ title: 'x', hasOwnProperty: 3 }],
      [{ startsAt: '2091-01-01T00:00:00Z' }],
      [{ endsAt: '2019-01-01T00:00:00Z' }],
      [{ shards: 2 }],
      [{ mode: 'instant' }],
      [{ items: [] }],
      [{ paymentTimeoutSeconds: 0 }],
    ];
    it.each(wrong)(
      'does not change by %j',
      async (change) => {
        const { id } = ok(await shop.operator.post('/admin/sales', draft()), 201).body;
        await expectRefusal(shop, () => shop.operator.patch(`/admin/sales/${id}`, change), 400, 'VALIDATION_FAILED');
      },
    );

    it('keeps its policies once published, its start once open, and everything once over', async () => {
      const scheduled = await shop.sale({ startsInMs: 3600_000, endsInMs: 7200_000 });
      expect(ok(await shop.operator.patch(`/admin/sales/${scheduled.id}`, { title: 'Later' }), 200).body.title).toBe('Later');
      expect(ok(await shop.api.get(`/sales/${scheduled.id}`), 200).body.title).toBe('Later');
      await expectRefusal(shop, () => shop.operator.patch(`/admin/sales/${scheduled.id}`, { paymentTimeoutSeconds: 5 }), 409, 'SALE_STATE_CONFLICT');
      const live = await shop.sale();
      expect(ok(await shop.operator.patch(`/admin/sales/${live.id}`, { title: 'Live' }), 200).body.title).toBe('Live');
      await expectRefusal(shop, () => shop.operator.patch(`/admin/sales/${live.id}`, { startsAt: '2020-01-01T00:00:00Z' }), 409, 'SALE_STATE_CONFLICT');
      await expectRefusal(shop, () => shop.operator.patch(`/admin/sales/${live.id}`, { standbyLimit: 5 }), 409, 'SALE_STATE_CONFLICT');
      ok(await shop.operator.post(`/admin/sales/${live.id}/end`), 200);
      await expectRefusal(shop, () => shop.operator.patch(`/admin/sales/${live.id}`, { title: 'Too late' }), 409, 'SALE_STATE_CONFLICT');
    });
  });
});
