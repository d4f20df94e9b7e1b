import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { expectRefusal } from './refusals.js';
import { saleKeys } from '../../src/goods/index.js';

describe('the operations of a sale', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());

  const change = (sale: TestSale, delta: unknown, itemId = sale.itemIds[0]) => shop.operator.post(`/admin/sales/${sale.id}/items/${itemId}/stock`, { delta });
  const stats = async (sale: TestSale) => ok(await shop.operator.get(`/admin/sales/${sale.id}/stats`), 200).body;

  it('add units that can be bought at once, also after everything was sold', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    await shop.buy(await shop.shopper(), sale);
    await expectRefusal(shop, async () => shop.join(shop.operator, sale), 410, 'SOLD_OUT');
    expect(ok(await change(sale, 2), 200).body).toEqual({ itemId: sale.itemIds[0], stock: 3, sold: 1 });
    const late = await shop.shopper();
    await until('the flag to fall', async () => (await shop.join(late, sale)).status === 202);
    await shop.ticketWhen(late, sale, ['awaiting_payment']);
    expect(await shop.proof(sale)).toEqual({ ok: true, loaded: true, items: [{ itemId: sale.itemIds[0], stock: 3, inList: 1, claimed: 0, held: 2, returning: 0, withdrawn: 0, odd: [] }] });
  });

  it('withdraw free units, down to what is held and no further', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    await shop.buy(await shop.shopper(), sale);
    expect(ok(await change(sale, -3), 200).body).toEqual({ itemId: sale.itemIds[0], stock: 2, sold: 1 });
    await expectRefusal(shop, () => change(sale, -2), 409, 'STOCK_HELD');
    expect(ok(await change(sale, -1), 200).body).toEqual({ itemId: sale.itemIds[0], stock: 1, sold: 1 });
    await expectRefusal(shop, () => change(sale, -1), 409, 'STOCK_HELD');
    const shopper = await shop.shopper();
    await expectRefusal(shop, () => shop.join(shopper, sale), 410, 'SOLD_OUT');
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: 5, inList: 0, held: 1, withdrawn: 4 }] });
  });

  it('withdraw and add again without a unit lost or doubled', async () => {
    const sale = await shop.sale({ items: [{ stock: 2 }] });
    ok(await change(sale, -2), 200);
    ok(await change(sale, 2), 200);
    for (let i = 0; i < 2; i += 1) {
      const shopper = await shop.shopper();
      await until('a unit', async () => (await shop.join(shopper, sale)).status === 202);
      await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    }
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: 4, held: 2, withdrawn: 2, inList: 0 }] });
  });

  it('withdraw over all shards, all of the number or none', async () => {
    // Loaded, but not open yet: units move between the shards of a live sale only.
    const sale = await shop.sale({ items: [{ stock: 9 }], shards: 4, startsInMs: 60_000 });
    await expectRefusal(shop, () => change(sale, -10), 409, 'STOCK_HELD');
    expect(ok(await change(sale, -6), 200).body.stock).toBe(3);
    expect(ok(await change(sale, 1), 200).body.stock).toBe(4);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: 10, inList: 4, withdrawn: 6 }] });
  });

  it('withdraw round a token that is in other hands, and lose nothing over it', async () => {
    const sale = await shop.sale({ items: [{ stock: 6 }] });
    await shop.buy(await shop.shopper(), sale);
    // The serial of the order, doubled: it stands last in line, where a withdrawal begins.
    await shop.redis.lpush(saleKeys.stock({ saleId: sale.id, shard: 0 }, sale.itemIds[0] ?? ''), 1);
    expect((await change(sale, -3)).body.code).toBe('UNAVAILABLE');
    ok(await change(sale, -3), 200);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 2, held: 1, withdrawn: 3 }] });
  });

  it('withdraw no unit twice when two operators do so at once', async () => {
    const sale = await shop.sale({ items: [{ stock: 10 }] });
    const answers = await Promise.all([-6, -6, -3].map((delta) => change(sale, delta)));
    const taken = answers.reduce((sum, { status }, i) => sum + (status === 200 ? [6, 6, 3][i] ?? 0 : 0), 0);
    for (const answer of answers) expect([200, 409]).toContain(answer.status);
    expect([6, 9]).toContain(taken);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 10 - taken, withdrawn: taken }] });
  });

  it('change the numbers of a draft', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }], shards: 2, publish: false });
    expect(ok(await change(sale, 3), 200).body).toEqual({ itemId: sale.itemIds[0], stock: 8, sold: 0 });
    expect(ok(await change(sale, -6), 200).body.stock).toBe(2);
    for (const delta of [-1, -2, -3]) await expectRefusal(shop, () => change(sale, delta), 400, 'VALIDATION_FAILED');
    ok(await shop.operator.post(`/admin/sales/${sale.id}/publish`), 200);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: 2, inList: 2 }] });
  });

  it('refuse a change that is no number of units, or of none, or beyond a million', async () => {
    const sale = await shop.sale();
    for (const delta of [0, 1.5, '1', null, true, [1], 1_000_001, -1_000_001, 1_000_000]) await expectRefusal(shop, () => change(sale, delta), 400, 'VALIDATION_FAILED');
    const path = `/admin/sales/${sale.id}/items/${sale.itemIds[0]}/stock`;
    for (const body of [{}, { delta: 1, stock: 5 }, [], '{"delta":1e400}', 'null', '{', undefined]) await expectRefusal(shop, () => shop.operator.post(path, body), 400, 'VALIDATION_FAILED');
  });

  it('know only items of the sale', async () => {
    const [sale, other] = [await shop.sale(), await shop.sale()];
    for (const itemId of [other.itemIds[0], '0', '-1', '1e3', 'x', '9'.repeat(30)]) await expectRefusal(shop, () => change(sale, 1, itemId), 404, 'ITEM_NOT_FOUND');
    await expectRefusal(shop, () => change({ ...sale, id: '999999' }, 1), 404, 'SALE_NOT_FOUND');
  });

  it('count joins, orders and units', async () => {
    const sale = await shop.sale({ items: [{ stock: 3 }] });
    const [payer, canceller] = [await shop.shopper(), await shop.shopper()];
    const [{ orderId: paid }, { orderId: cancelled }] = [await shop.buy(payer, sale), await shop.buy(canceller, sale)];
    await shop.buy(await shop.shopper(), sale);
    ok(await payer.post(`/orders/${paid}/pay`), 200);
    await shop.ticketWhen(payer, sale, ['paid']);
    ok(await canceller.post(`/orders/${cancelled}/cancel`), 200);
    const counted = await until('the waits to be counted', async () => ((await stats(sale)).waitMs ? await stats(sale) : undefined));
    expect(counted).toEqual({
      saleId: sale.id, serverTime: expect.any(String), state: 'live', loaded: true, joins: 3, waiting: 0, standby: 0, decided: 3, claimed: 0, ratePerSecond: expect.any(Number),
      orders: { awaiting_payment: 1, paid: 1, expired: 0, cancelled: 1, refunded: 0 },
      refusals: {}, waitMs: { p50: expect.any(Number), p99: expect.any(Number) },
      items: [{ itemId: sale.itemIds[0], title: 'Test goods', stock: 3, sold: 2, free: 1, claimed: 0, held: 1, paid: 1, returning: 0, withdrawn: 0 }],
    });
    const remaining = await until('the page to show it', async () => {
      const [item] = ok(await shop.api.get(`/sales/${sale.id}`), 200).body.items;
      return item.remaining === 1 && item;
    });
    expect(remaining.stock).toBe(3);
  });

  it('say of a draft and of a sale far off that nothing is loaded, and that nothing is odd', async () => {
    for (const sale of [await shop.sale({ publish: false }), await shop.sale({ startsInMs: 3_600_000, endsInMs: 7_200_000 })]) {
      expect(await stats(sale)).toMatchObject({ loaded: false, joins: 0, items: [{ stock: 10, sold: 0, free: null }] });
      expect(await shop.proof(sale)).toMatchObject({ ok: true, loaded: false, items: [{ stock: 10, inList: 0, odd: [] }] });
    }
  });

  it('find a token that is missing, and one that is in two places', async () => {
    const sale = await shop.sale({ items: [{ stock: 3 }] });
    await shop.buy(await shop.shopper(), sale);
    const stock = `seckill:{${sale.id}:0}:stock:${sale.itemIds[0]}`;
    const [held] = await shop.database.query('SELECT serial FROM held_tokens WHERE sale_item_id = ?', [sale.itemIds[0]]);
    const missing = Number(await shop.redis.rpop(stock));
    await shop.redis.lpush(stock, held.serial);
    const { ok: isOk, items } = await shop.proof(sale);
    expect(isOk).toBe(false);
    expect(items[0].odd).toEqual(expect.arrayContaining([{ serial: missing, places: [] }, { serial: held.serial, places: expect.arrayContaining(['inList', 'held']) }]));
  });
});
