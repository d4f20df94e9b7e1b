import { Preloader } from '../../src/goods/index.js';
import type { Answer, Api } from '../harness/api.js';
import { booksOf } from '../harness/books.js';
import { inParallel, tally } from '../harness/parallel.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const [CROWD, ROUNDS] = [60, 10];

describe('a sale', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  const item = async (sale: TestSale, index = 0): Promise<any> => ok(await shop.operator.get(`/admin/sales/${sale.id}`), 200).body.items[index]; // eslint-disable-line @typescript-eslint/no-explicit-any -- an item
  const row = async (sale: TestSale): Promise<{ stock: number; sold: number }> => {
    const [found] = await shop.database.query('SELECT stock, sold FROM sale_items WHERE sale_id = ?', [sale.id]);
    return { stock: Number(found.stock), sold: Number(found.sold) };
  };

  it('that is sold out does not make the same goods look sold out, or bought, in another sale', async () => {
    const here = await shop.sale({ items: [{ stock: 1 }] });
    const { goodsId } = await item(here);
    const window = { startsAt: new Date(Date.now() - 1000).toISOString(), endsAt: new Date(Date.now() + 3_600_000).toISOString() };
    const { body } = ok(await shop.operator.post('/admin/sales', { title: 'Another sale', ...window, items: [{ goodsId, priceMinor: 50, stock: 2, limitPerUser: 1 }] }), 201);
    const there = { id: body.id, itemIds: [body.items[0].id] };
    ok(await shop.operator.post(`/admin/sales/${there.id}/publish`), 200);
    const [winner, loser] = await shop.shoppers(2);
    if (!winner || !loser) throw new Error('no shoppers');
    await shop.buy(winner, here);
    expect((await shop.join(loser, here)).body.code).toBe('SOLD_OUT');
    await shop.buy(loser, there);
    await shop.buy(winner, there);
    expect((await winner.get(`/sales/${here.id}/ticket`)).body).toMatchObject({ status: 'awaiting_payment', amountMinor: 100 });
    expect((await winner.get(`/sales/${there.id}/ticket`)).body).toMatchObject({ status: 'awaiting_payment', amountMinor: 50 });
  });

  it('that was sold out still knows who has bought when a unit comes back', async () => {
    const sale = await shop.sale({ items: [{ stock: 2 }] });
    const [buyer, other, loser] = await shop.shoppers(3);
    if (!buyer || !other || !loser) throw new Error('no shoppers');
    const { orderId } = await shop.buy(buyer, sale);
    ok(await buyer.post(`/orders/${orderId}/pay`), 200);
    await shop.ticketWhen(buyer, sale, ['paid']);
    const { orderId: left } = await shop.buy(other, sale);
    for (const shopper of [loser, loser, other]) expect((await shop.join(shopper, sale)).body.code).toBe('SOLD_OUT');
    ok(await other.post(`/orders/${left}/cancel`), 200);
    expect((await shop.join(buyer, sale)).body.code).toBe('LIMIT_REACHED');
    await shop.buy(loser, sale);
  });

  it('counts no refused call against the limit: afterwards its shopper gets exactly that many units', async () => {
    const sale = await shop.sale({ items: [{ stock: 20, limitPerUser: 3 }] });
    const shopper = await shop.shopper();
    const want = (quantity: number): Promise<Answer> => shop.join(shopper, sale, [{ itemId: sale.itemIds[0] ?? '', quantity }]);
    for (let i = 0; i < 5; i += 1) expect((await want(4)).body.code).toBe('LIMIT_REACHED');
    const { orderId } = await shop.buy(shopper, sale, [{ itemId: sale.itemIds[0] ?? '', quantity: 2 }]);
    for (let i = 0; i < 5; i += 1) expect((await want(1)).body.code).toBe('UNPAID_ORDER');
    ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    await shop.buy(shopper, sale, [{ itemId: sale.itemIds[0] ?? '', quantity: 3 }]);
    expect(await row(sale)).toEqual({ stock: 20, sold: 3 });
  });

  it('takes price, amount, time slot and buyer from no client', async () => {
    const sale = await shop.sale({ items: [{ stock: 5, priceMinor: 777 }] });
    const [shopper, other] = await shop.shoppers(2);
    if (!shopper || !other) throw new Error('no shoppers');
    const { id: otherId } = ok(await other.get('/auth/me'), 200).body;
    const line = { itemId: sale.itemIds[0], quantity: 1 };
    const claims = { priceMinor: 1, unitPriceMinor: 1, price: 1, amountMinor: 1, currency: 'XXX', userId: otherId, user: otherId, startsAt: '2020-01-01T00:00:00Z', time: 1, slot: '10:00', saleId: '1', shard: 1 };
    for (const [name, value] of Object.entries(claims)) {
      expect([name, (await shopper.post(`/sales/${sale.id}/tickets`, { items: [line], [name]: value })).body.code]).toEqual([name, 'INVALID_BASKET']);
      expect([name, (await shopper.post(`/sales/${sale.id}/tickets`, { items: [{ ...line, [name]: value }] })).body.code]).toEqual([name, 'INVALID_BASKET']);
    }
    // Where they are not refused they are not read.
    const query = new URLSearchParams(Object.entries(claims).map(([name, value]) => [name, String(value)]));
    ok(await shopper.post(`/sales/${sale.id}/tickets?${query}`, { items: [line] }, { 'x-user-id': otherId, 'x-user': otherId, cookie: `userId=${otherId}` }), 202);
    const ticket = await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    expect(ticket.amountMinor).toBe(777);
    expect((await other.get(`/sales/${sale.id}/ticket`)).body.code).toBe('NO_TICKET');
    const { id: userId } = ok(await shopper.get('/auth/me'), 200).body;
    expect(await shop.database.query('SELECT user_id AS userId, amount_minor AS amount, currency FROM orders WHERE sale_id = ?', [sale.id])).toEqual([{ userId, amount: '777', currency: 'EUR' }]);
    expect((await shopper.post(`/orders/${ticket.orderId}/pay`, { amountMinor: 1 })).body.code).toBe('VALIDATION_FAILED');
    const closed = await shop.sale({ startsInMs: 3_600_000, endsInMs: 7_200_000 });
    expect((await shopper.post(`/sales/${closed.id}/tickets?startsAt=2020-01-01T00:00:00Z&time=0`, { items: [{ ...line, itemId: closed.itemIds[0] }] })).body.code).toBe('NOT_STARTED');
  });

  it('that sells, adds stock and is edited at the same time loses none of it', async () => {
    const sale = await shop.sale({ items: [{ stock: CROWD / 2 }] });
    const { goodsId } = await item(sale);
    const shoppers = await shop.shoppers(CROWD);
    const edit = async (): Promise<void> => {
      for (let n = 1; n <= CROWD / 2; n += 1) {
        ok(await shop.operator.post(`/admin/sales/${sale.id}/items/${sale.itemIds[0]}/stock`, { delta: 1 }), 200);
        const [title, price] = await Promise.all([
          shop.operator.patch(`/admin/goods/${goodsId}`, { title: `Title ${n}` }),
          shop.operator.patch(`/admin/goods/${goodsId}`, { listPriceMinor: n }),
        ]);
        for (const answer of [title, price]) ok(answer, 200);
        const goods = await goodsOf(goodsId);
        expect(goods).toMatchObject({ title: `Title ${n}`, listPriceMinor: n });
      }
    };
    // Who comes between two units that are added asks again.
    const buy = (shopper: Api): Promise<unknown> =>
      until('an order', async () => {
        const { status } = (await shopper.get(`/sales/${sale.id}/ticket`)).body;
        if (status === 'awaiting_payment') return true;
        if (status !== 'queued' && status !== 'claimed') await shop.join(shopper, sale);
        return false;
      }, 40_000);
    await Promise.all([edit(), inParallel(shoppers, 20, buy)]);
    expect(await row(sale)).toEqual({ stock: CROWD, sold: CROWD });
    expect(await booksOf(shop, sale)).toMatchObject({ heldUnits: CROWD, users: CROWD, inList: 0 });
    expect(await goodsOf(goodsId)).toMatchObject({ title: `Title ${CROWD / 2}`, listPriceMinor: CROWD / 2 });
  });

  const goodsOf = async (goodsId: string): Promise<unknown> => {
    const { goods } = ok(await shop.operator.get('/admin/goods'), 200).body;
    return goods.find(({ id }: { id: string }) => id === goodsId);
  };

  it('that is edited while it is built keeps the edit and the epoch', async () => {
    const sale = await shop.sale({ startsInMs: 600_000, endsInMs: 3_600_000 });
    const epochOf = async (): Promise<number> => Number((await shop.database.query('SELECT epoch FROM sales WHERE id = ?', [sale.id]))[0].epoch);
    for (let n = 1; n <= ROUNDS; n += 1) {
      const before = await epochOf();
      const endsAt = new Date(Date.now() + 3_600_000 + n * 1000).toISOString();
      await shop.wipe(sale);
      const [title, end] = await Promise.all([
        shop.operator.patch(`/admin/sales/${sale.id}`, { title: `Sale ${n}` }),
        shop.operator.patch(`/admin/sales/${sale.id}`, { endsAt }),
        shop.get(Preloader).preload(sale.id),
      ]);
      for (const answer of [title, end]) ok(answer, 200);
      expect(ok(await shop.operator.get(`/admin/sales/${sale.id}`), 200).body).toMatchObject({ title: `Sale ${n}`, endsAt });
      expect(await epochOf()).toBeGreaterThan(before);
    }
  });

  it('whose shoppers all pay for the first time at once answers nobody with an error of the database', async () => {
    const sale = await shop.sale({ items: [{ stock: CROWD }] });
    const orders = await inParallel(await shop.shoppers(CROWD), 50, async (shopper) => ({ shopper, orderId: (await shop.buy(shopper, sale)).orderId as string }));
    const pay = ({ shopper, orderId }: { shopper: Api; orderId: string }): Promise<Answer> =>
      shopper.post(`/orders/${orderId}/pay`, {}, { 'idempotency-key': `pay-${orderId}` });
    const answers = await inParallel([...orders, ...orders], 2 * CROWD, pay);
    // The repeat of a call that still runs is refused for the moment.
    expect(Object.keys(tally(answers.map(({ status, body }) => (status === 200 ? 'paid' : String(body.code))))).filter((outcome) => !['paid', 'IDEMPOTENCY_KEY_IN_USE'].includes(outcome))).toEqual([]);
    for (const { shopper } of orders) await shop.ticketWhen(shopper, sale, ['paid']);
    expect(await booksOf(shop, sale)).toMatchObject({ orders: { paid: CROWD }, heldUnits: CROWD });
  });
});
