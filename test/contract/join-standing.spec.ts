import type { Answer, Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { expectProblem, expectRefusal } from './refusals.js';

describe('a join of a shopper who', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());

  const units = (sale: TestSale, quantity: number): { itemId: string; quantity: number }[] => [{ itemId: sale.itemIds[0] ?? '', quantity }];
  const pay = async (shopper: Api, sale: TestSale, quantity: number): Promise<void> => {
    const { orderId } = await shop.buy(shopper, sale, units(sale, quantity));
    ok(await shopper.post(`/orders/${orderId}/pay`), 200);
    await shop.ticketWhen(shopper, sale, ['paid']);
  };

  it('holds an unpaid order is refused until it is cancelled', async () => {
    const sale = await shop.sale({ items: [{ stock: 5, limitPerUser: 5 }, { stock: 5 }] });
    const shopper = await shop.shopper();
    const { orderId } = await shop.buy(shopper, sale);
    await expectRefusal(shop, () => shop.join(shopper, sale), 409, 'UNPAID_ORDER');
    await expectRefusal(shop, () => shop.join(shopper, sale, [{ itemId: sale.itemIds[1] ?? '', quantity: 1 }]), 409, 'UNPAID_ORDER');
    ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    await shop.buy(shopper, sale);
  });

  it('holds paid orders is refused what would exceed the limit, counted in units', async () => {
    const sale = await shop.sale({ items: [{ stock: 10, limitPerUser: 4 }, { stock: 5 }] });
    const shopper = await shop.shopper();
    await pay(shopper, sale, 2);
    await expectLimit(shopper, sale, 3);
    await pay(shopper, sale, 1);
    await expectLimit(shopper, sale, 2);
    await pay(shopper, sale, 1);
    await expectLimit(shopper, sale, 1);
    await shop.buy(shopper, sale, [{ itemId: sale.itemIds[1] ?? '', quantity: 1 }]);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 4 }, { held: 1 }] });
  });

  const expectLimit = async (shopper: Api, sale: TestSale, quantity: number): Promise<void> => {
    const { body } = await expectRefusal(shop, () => shop.join(shopper, sale, units(sale, quantity)), 409, 'LIMIT_REACHED');
    expect(body).toMatchObject({ itemId: sale.itemIds[0], limitPerUser: 4 });
  };

  it('asks for more than the limit, or more than the limit of one line of the basket, is refused whole', async () => {
    const sale = await shop.sale({ items: [{ stock: 10, limitPerUser: 4 }, { stock: 10, limitPerUser: 1 }] });
    const shopper = await shop.shopper();
    await expectLimit(shopper, sale, 5);
    const basket = sale.itemIds.map((itemId) => ({ itemId, quantity: 2 }));
    const { body } = await expectRefusal(shop, () => shop.join(shopper, sale, basket), 409, 'LIMIT_REACHED');
    expect(body).toMatchObject({ itemId: sale.itemIds[1], limitPerUser: 1 });
  });

  it('wants more than is left is told how much that is, and may have that', async () => {
    const sale = await shop.sale({ items: [{ stock: 3, limitPerUser: 3 }, { stock: 3 }] });
    await shop.buy(await shop.shopper(), sale);
    const shopper = await shop.shopper();
    const basket = [{ itemId: sale.itemIds[1] ?? '', quantity: 1 }, ...units(sale, 3)];
    const { body } = await expectRefusal(shop, () => shop.join(shopper, sale, basket), 410, 'SOLD_OUT');
    expect(body).toMatchObject({ itemId: sale.itemIds[0], remaining: 2 });
    await shop.buy(shopper, sale, units(sale, 2));
  });

  it('comes after the last unit is refused by the flag, which falls at once when a unit comes back', async () => {
    const sale = await shop.sale({ items: [{ stock: 1, limitPerUser: 1 }] });
    const [winner, late] = [await shop.shopper(), await shop.shopper()];
    const { orderId } = await shop.buy(winner, sale);
    const { body } = await expectRefusal(shop, () => shop.join(late, sale), 410, 'SOLD_OUT');
    expect(body).toMatchObject({ itemId: sale.itemIds[0], remaining: 0 });
    // Only the flag answers this to someone who holds an unpaid order.
    await expectRefusal(shop, () => shop.join(winner, sale), 410, 'SOLD_OUT');
    expect(ok(await winner.get(`/sales/${sale.id}/ticket`), 200).body.status).toBe('awaiting_payment');
    ok(await winner.post(`/orders/${orderId}/cancel`), 200);
    await until('the unit to be sold again', async () => (await shop.join(late, sale)).status === 202);
    await shop.ticketWhen(late, sale, ['awaiting_payment']);
  });

  it('won the last unit reads what they hold as soon as the flag is down, and others still read sold out', async () => {
    const sale = await shop.sale({ items: [{ stock: 1, limitPerUser: 1 }] });
    const [winner, late] = [await shop.shopper(), await shop.shopper()];
    const { orderId } = await shop.buy(winner, sale);
    expectProblem(await firstNotSoldOut(winner, sale), 409, 'UNPAID_ORDER');
    ok(await winner.post(`/orders/${orderId}/pay`), 200);
    await shop.ticketWhen(winner, sale, ['paid']);
    expectProblem(await firstNotSoldOut(winner, sale), 409, 'LIMIT_REACHED');
    const { body } = await expectRefusal(shop, () => shop.join(late, sale), 410, 'SOLD_OUT');
    expect(body.remaining).toBe(0);
  });

  const firstNotSoldOut = (shopper: Api, sale: TestSale): Promise<Answer> =>
    until('an answer other than SOLD_OUT', async () => {
      const answer = await shop.join(shopper, sale);
      return answer.body.code !== 'SOLD_OUT' && answer;
    });

  it('joins twice at the same time has one ticket', async () => {
    const sale = await shop.sale({ items: [{ stock: 50, limitPerUser: 50 }] });
    const shopper = await shop.shopper();
    const answers = await Promise.all(Array.from({ length: 10 }, () => shop.join(shopper, sale)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 202) expect(['ALREADY_QUEUED', 'UNPAID_ORDER']).toContain(answer.body.code);
    await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1, inList: 49 }] });
  });

  it('is in another sale may join here', async () => {
    const shopper = await shop.shopper();
    for (const sale of [await shop.sale(), await shop.sale()]) await shop.buy(shopper, sale);
  });
});

describe('a sale that Redis has lost', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api', 'worker']);
  });
  afterAll(() => shop.close());

  it('answers NOT_LOADED until it is preloaded, and then knows what was sold', async () => {
    const sale = await shop.sale({ items: [{ stock: 3, limitPerUser: 1 }] });
    const [buyer, shopper] = [await shop.shopper(), await shop.shopper()];
    const bought = await shop.buy(buyer, sale);
    await shop.redis.del(await shop.redis.keys(`seckill:{${sale.id}:*`));

    await expectRefusal(shop, () => shop.join(shopper, sale), 503, 'NOT_LOADED');
    await expectRefusal(shop, () => shopper.get(`/sales/${sale.id}/ticket`), 503, 'NOT_LOADED');
    await expectRefusal(shop, () => shopper.delete(`/sales/${sale.id}/ticket`), 503, 'NOT_LOADED');
    await expectRefusal(shop, () => shop.operator.post(`/admin/sales/${sale.id}/items/${sale.itemIds[0]}/stock`, { delta: -1 }), 503, 'NOT_LOADED');
    expect(ok(await shop.api.get(`/sales/${sale.id}`), 200).body).toMatchObject({ state: 'live', items: [{ stock: 3 }] });

    const preloaded = ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    expect(preloaded.body).toMatchObject({ id: sale.id, state: 'live', items: [{ sold: 1 }] });
    expect(ok(await buyer.get(`/sales/${sale.id}/ticket`), 200).body).toMatchObject({ ticketId: bought.ticketId, orderId: bought.orderId, status: 'awaiting_payment' });
    await expectRefusal(shop, () => shop.join(buyer, sale), 409, 'UNPAID_ORDER');
    await expectRefusal(shop, () => shopper.get(`/sales/${sale.id}/ticket`), 404, 'NO_TICKET');
    await shop.buy(shopper, sale);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 2, inList: 1 }] });
  });

  it('can be joined as soon as a preload answers, however many preload it at once', async () => {
    const sale = await shop.sale({ items: [{ stock: 20 }] });
    await shop.redis.del(await shop.redis.keys(`seckill:{${sale.id}:*`));
    const shoppers = await shop.shoppers(10);
    const joined = await Promise.all(
      shoppers.map(async (shopper) => {
        ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
        return (await shop.join(shopper, sale)).status;
      }),
    );
    expect(joined).toEqual(Array(10).fill(202));
    for (const shopper of shoppers) await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 10, inList: 10 }] });
  });

  it('changes nothing where the state stands already', async () => {
    const sale = await shop.sale();
    await shop.buy(await shop.shopper(), sale);
    const before = await shop.redis.hgetall(`seckill:{${sale.id}:0}:sale`);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    expect(await shop.redis.hgetall(`seckill:{${sale.id}:0}:sale`)).toEqual(before);
  });
});
