import { ok, Shop } from '../harness/shop.js';
import { expectRefusal } from './refusals.js';

const GOODS = { title: 'Kettle', listPriceMinor: 4990, currency: 'EUR' };
const MOST = 9_999_999_999;

describe('goods', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());

  it('are added with what is given, the rest empty', async () => {
    const { body } = ok(await shop.operator.post('/admin/goods', { ...GOODS, title: '  Kettle  ' }), 201);
    expect(body).toEqual({
      ...GOODS, id: expect.stringMatching(/^\d+$/), description: null, imageUrl: null, createdAt: expect.any(String), updatedAt: body.createdAt,
    });
    const full = { ...GOODS, title: '水壶 🫖', description: 'Boils.', imageUrl: 'https://shop.example/kettle.jpg', listPriceMinor: MOST };
    expect(ok(await shop.operator.post('/admin/goods', full), 201).body).toMatchObject(full);
  });

  it('may be free, but cost no more than can be reckoned exactly', async () => {
    expect(ok(await shop.operator.post('/admin/goods', { ...GOODS, listPriceMinor: 0 }), 201).body.listPriceMinor).toBe(0);
    await expectRefusal(shop, () => shop.operator.post('/admin/goods', { ...GOODS, listPriceMinor: MOST + 1 }), 400, 'VALIDATION_FAILED');
  });

  const wrong: [string, object][] = [
    ...['', '   ', 'x'.repeat(201), 5, null, ['Kettle']].map((title): [string, object] => ['title', { title }]),
    ...[-1, 1.5, '4990', null, true, [1]].map((listPriceMinor): [string, object] => ['listPriceMinor', { listPriceMinor }]),
    ...['eur', 'EURO', 'E', '', null, 978].map((currency): [string, object] => ['currency', { currency }]),
    ...['javascript:alert(1)', '/kettle.jpg', 'not an address', 5, `https://a.example/${'x'.repeat(2000)}`].map((imageUrl): [string, object] => ['imageUrl', { imageUrl }]),
    ...[5, 'x'.repeat(10_001), {}].map((description): [string, object] => ['description', { description }]),
    ['id', { id: '1' }],
    ['stock', { stock: 5 }],
  ];

  it.each(wrong)('are not added with a wrong %s: %j', async (field, change) => {
    const { body } = await expectRefusal(shop, () => shop.operator.post('/admin/goods', { ...GOODS, ...change }), 400, 'VALIDATION_FAILED');
    expect(body.errors).toEqual([{ field, message: expect.any(String) }]);
    expect(body.detail).toBe(body.errors[0].message);
  });

  it.each(['title', 'listPriceMinor', 'currency'])('are not added without %s', async (field) => {
    const { body } = await expectRefusal(shop, () => shop.operator.post('/admin/goods', { ...GOODS, [field]: undefined }), 400, 'VALIDATION_FAILED');
    expect(body.errors[0].field).toBe(field);
  });

  it.each(['{"title":"Kettle","listPriceMinor":1e400,"currency":"EUR"}', '{"title":', 'null', '[]', '"Kettle"', '5', ''])('are not added by the body %j', async (body) => {
    await expectRefusal(shop, () => shop.operator.post('/admin/goods', body), 400, 'VALIDATION_FAILED');
  });

  it('change in what is given only', async () => {
    const { id } = ok(await shop.operator.post('/admin/goods', { ...GOODS, description: 'Boils.' }), 201).body;
    const changed = ok(await shop.operator.patch(`/admin/goods/${id}`, { title: 'Pot', description: null }), 200).body;
    expect(changed).toMatchObject({ ...GOODS, id, title: 'Pot', description: null });
    expect(ok(await shop.operator.patch(`/admin/goods/${id}`, {}), 200).body).toMatchObject({ title: 'Pot', description: null });
    const listed = ok(await shop.operator.get('/admin/goods'), 200).body.goods.find((goods: { id: string }) => goods.id === id);
    expect(listed).toMatchObject({ ...GOODS, title: 'Pot' });
  });

  it.each([{ title: null }, { title: '' }, { listPriceMinor: -1 }, { listPriceMinor: MOST + 1 }, { currency: 'x' }, { imageUrl: 'x' }, { id: '5' }, { unknown: 1 }])(
    'do not change by %j',
    async (change) => {
      const { id } = ok(await shop.operator.post('/admin/goods', GOODS), 201).body;
      await expectRefusal(shop, () => shop.operator.patch(`/admin/goods/${id}`, change), 400, 'VALIDATION_FAILED');
    },
  );

  it.each(['999999', '0', '-1', '1e3', '1x', '9'.repeat(30), '%00'])('are not found under %s', async (id) => {
    await expectRefusal(shop, () => shop.operator.patch(`/admin/goods/${id}`, { title: 'Pot' }), 404, 'GOODS_NOT_FOUND');
  });

  it('keep their currency once a sale offers them, and may change otherwise', async () => {
    const { id } = ok(await shop.operator.post('/admin/goods', GOODS), 201).body;
    ok(await shop.operator.patch(`/admin/goods/${id}`, { currency: 'USD' }), 200);
    const window = { startsAt: '2020-01-01T00:00:00Z', endsAt: '2090-01-01T00:00:00Z' };
    ok(await shop.operator.post('/admin/sales', { title: 'Sale', ...window, items: [{ goodsId: id, priceMinor: 1, stock: 1, limitPerUser: 1 }] }), 201);
    await expectRefusal(shop, () => shop.operator.patch(`/admin/goods/${id}`, { currency: 'EUR' }), 409, 'SALE_STATE_CONFLICT');
    expect(ok(await shop.operator.patch(`/admin/goods/${id}`, { currency: 'USD', title: 'Pot' }), 200).body).toMatchObject({ currency: 'USD', title: 'Pot' });
  });

  it('are listed newest first, a hundred a page, none twice and none left out', async () => {
    for (let i = 0; i < 101; i += 1) ok(await shop.operator.post('/admin/goods', { ...GOODS, title: `Goods ${i}` }), 201);
    const first = ok(await shop.operator.get('/admin/goods'), 200).body;
    expect([first.goods.length, first.goods[0].title, first.nextCursor]).toEqual([100, 'Goods 100', expect.any(String)]);
    const ids = first.goods.map((goods: { id: string }) => goods.id);
    for (let cursor = first.nextCursor; cursor !== undefined;) {
      const page = ok(await shop.operator.get(`/admin/goods?cursor=${cursor}`), 200).body;
      ids.push(...page.goods.map((goods: { id: string }) => goods.id));
      cursor = page.nextCursor;
    }
    const [{ count }] = await shop.database.query('SELECT COUNT(*) AS count FROM goods');
    expect([new Set(ids).size, ids.length]).toEqual([Number(count), Number(count)]);
    expect(ids).toEqual([...ids].sort((a, b) => Number(b) - Number(a)));
  });

  it.each(['cursor=x', 'cursor=', 'cursor=-1', 'cursor=1&cursor=2', 'page=2'])('are not listed by ?%s', async (query) => {
    await expectRefusal(shop, () => shop.operator.get(`/admin/goods?${query}`), 400, 'VALIDATION_FAILED');
  });
});
