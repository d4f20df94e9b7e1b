import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Api } from '../harness/api.js';
import { ordersPerTicket } from '../harness/claims.js';
import { sellBehindRedis } from '../fixtures/sell-behind-redis.js';
import { RepairJob } from '../../src/order/repair.job.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

/** Batches that MySQL refuses in part, because Redis is wrong about something. The worker starts when all have joined: they are one batch. */
describe('a batch that MySQL refuses in part', () => {
  let shop: Shop;
  let worker: NestFastifyApplication | undefined;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    shop.bePatient();
  });
  afterEach(async () => {
    if (worker) await shop.stop(worker);
    worker = undefined;
  });
  afterAll(() => shop.close());

  /** Lets these shoppers join one after the other, starts the worker, and answers what became of their tickets. */
  async function decide(sale: TestSale, shoppers: Api[], quantity = 1): Promise<string[]> {
    for (const shopper of shoppers) ok(await shop.join(shopper, sale, [{ itemId: sale.itemIds[0] ?? '', quantity }]), 202);
    worker = await shop.start(['worker', 'scheduler']);
    const over = ['awaiting_payment', 'sold_out', 'rejected'];
    const tickets = await Promise.all(shoppers.map((shopper) => shop.ticketWhen(shopper, sale, over)));
    return tickets.map(({ status, reason }) => (status === 'rejected' ? reason : status));
  }

  it('gives a ticket another token when its own is in other hands, and drops the doubled one', async () => {
    const sale = await shop.sale({ items: [{ stock: 6 }] });
    await sellBehindRedis(shop, sale, await shop.shopper(), { serial: 3 });
    expect((await shop.proof(sale)).items[0].odd).toEqual([{ serial: 3, places: ['inList', 'held'] }]);
    expect(await decide(sale, await shop.shoppers(5))).toEqual(Array(5).fill('awaiting_payment'));
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 6, inList: 0, claimed: 0 }] });
    expect(await ordersPerTicket(shop, sale)).toEqual(Array(6).fill(1));
  });

  it('keeps first come, first served among tickets that need other tokens', async () => {
    const sale = await shop.sale({ items: [{ stock: 3 }] });
    await sellBehindRedis(shop, sale, await shop.shopper(), { serial: 1 });
    await sellBehindRedis(shop, sale, await shop.shopper(), { serial: 2 });
    expect(await decide(sale, await shop.shoppers(2))).toEqual(['awaiting_payment', 'sold_out']);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 3 }] });
  });

  it('gives no basket the same token twice, and the repair finds the unit again', async () => {
    const sale = await shop.sale({ items: [{ stock: 4, limitPerUser: 2 }] });
    // Wrong on purpose: serial 1 stands in the list twice, next to be taken.
    await shop.redis.rpush(`seckill:{${sale.id}:0}:stock:${sale.itemIds[0]}`, 1);
    const shoppers = await shop.shoppers(2);
    const statuses = await decide(sale, shoppers, 2);
    expect(statuses).toContain('awaiting_payment');
    await until('every token to be in one place', async () => {
      await worker?.get(RepairJob, { strict: false }).run();
      return (await shop.proof(sale)).ok;
    });
    const basket = [{ itemId: sale.itemIds[0] ?? '', quantity: 2 }];
    for (const shopper of shoppers.filter((_, index) => statuses[index] === 'sold_out')) await shop.buy(shopper, sale, basket);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 4, inList: 0 }] });
  });

  it('sells no more than MySQL says there are', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    await shop.database.query('UPDATE sale_items SET stock = 2 WHERE id = ?', [sale.itemIds[0]]);
    const statuses = await decide(sale, await shop.shoppers(4));
    expect(statuses.sort()).toEqual(['awaiting_payment', 'awaiting_payment', 'sold_out', 'sold_out']);
    expect(await ordersPerTicket(shop, sale)).toEqual([1, 1]);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 2, inList: 3, claimed: 0 }] });
  });

  it('holds the limit, whatever Redis counted', async () => {
    const sale = await shop.sale({ items: [{ stock: 6, limitPerUser: 2 }] });
    const [greedy, ...others] = await shop.shoppers(3);
    if (!greedy) throw new Error('no shopper');
    await sellBehindRedis(shop, sale, greedy, { status: 'paid' });
    expect(await decide(sale, [greedy, ...others], 2)).toEqual(['LIMIT_REACHED', 'awaiting_payment', 'awaiting_payment']);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 5, inList: 2, claimed: 0 }] });
    ok(await shop.join(greedy, sale), 202);
    await shop.ticketWhen(greedy, sale, ['awaiting_payment']);
  });

  it('lets nobody have two unpaid orders, whatever Redis counted', async () => {
    const sale = await shop.sale({ items: [{ stock: 4, limitPerUser: 3 }] });
    const shoppers = await shop.shoppers(3);
    const [, debtor] = shoppers;
    if (!debtor) throw new Error('no shopper');
    await sellBehindRedis(shop, sale, debtor);
    expect(await decide(sale, shoppers)).toEqual(['awaiting_payment', 'UNPAID_ORDER', 'awaiting_payment']);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 3, inList: 2, claimed: 0 }] });
  });
});
