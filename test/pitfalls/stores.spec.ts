import { createConnection } from 'mysql2/promise';
import { DRAIN_QUEUE } from '../../src/seckill/drain-signal.js';
import { EXPIRY_QUEUE } from '../../src/order/expiry.schedule.js';
import { SoldOutFlags } from '../../src/seckill/sold-out-flags.js';
import { shardOf } from '../harness/claims.js';
import { inParallel } from '../harness/parallel.js';
import { freshServices } from '../harness/services.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

const TICKETS = 300;

describe('the stores', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({ LOG_LEVEL: 'silent' }, ['api', 'scheduler']);
    shop.bePatient();
  });
  afterAll(() => shop.close());

  it('get the orders of a crowd in batches: far fewer commits than tickets', async () => {
    const sale = await shop.sale({ items: [{ stock: TICKETS }] });
    await inParallel(await shop.shoppers(TICKETS), 50, async (shopper) => ok(await shop.join(shopper, sale), 202));
    const commits = async (): Promise<number> => Number((await shop.database.query("SHOW GLOBAL STATUS LIKE 'Com_commit'"))[0].Value);
    const before = await commits();
    await shop.start(['worker']);
    const written = async (): Promise<number> => Number((await shop.database.query('SELECT COUNT(*) AS orders FROM orders WHERE sale_id = ?', [sale.id]))[0].orders);
    await until('an order for each ticket', async () => (await written()) === TICKETS);
    expect((await commits()) - before).toBeLessThan(TICKETS / 4);
  });

  it('keep no key for ever and no job that is done', async () => {
    const sale = await shop.sale({ items: [{ stock: 4 }], paymentTimeoutSeconds: 3 });
    const [payer, leaver, sleeper, late] = await shop.shoppers(4);
    if (!payer || !leaver || !sleeper || !late) throw new Error('no shoppers');
    const basket = { items: [{ itemId: sale.itemIds[0], quantity: 1 }] };
    ok(await payer.post(`/sales/${sale.id}/tickets`, basket, { 'idempotency-key': 'once' }), 202);
    const { orderId } = await shop.ticketWhen(payer, sale, ['awaiting_payment']);
    ok(await payer.post(`/orders/${orderId}/pay`, {}, { 'idempotency-key': 'pay' }), 200);
    ok(await leaver.post(`/orders/${(await shop.buy(leaver, sale)).orderId}/cancel`), 200);
    await shop.buy(sleeper, sale);
    await shop.ticketWhen(sleeper, sale, ['expired']);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/items/${sale.itemIds[0]}/stock`, { delta: -1 }), 200);
    await shop.wipe(sale);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    await shop.buy(late, sale);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/end`), 200);

    const keys = (await shop.redis.keys('*')).filter((key) => !key.startsWith('{seckill-bull}'));
    const kinds = ['seckill:session:', `seckill:{${sale.id}:0}:sale`, `seckill:{${sale.id}:0}:status`, `seckill:{${sale.id}:0}:units`];
    expect(kinds.filter((kind) => !keys.some((key) => key.startsWith(kind)))).toEqual([]);
    const immortal = await inParallel(keys, 20, async (key) => ({ key, ttl: await shop.redis.pttl(key) }));
    expect(immortal.filter(({ ttl }) => ttl === -1)).toEqual([]);
    for (const name of [DRAIN_QUEUE, EXPIRY_QUEUE]) {
      await until(`no job of ${name} at work`, async () => (await shop.queue(name).getActiveCount()) === 0);
      expect([name, await shop.queue(name).getCompletedCount(), await shop.queue(name).getFailedCount()]).toEqual([name, 0, 0]);
    }
  });

  it('hide no overdue order where a job of an earlier time still has its id', async () => {
    const nowS = Math.floor(Date.now() / 1000);
    const queue = shop.queue(EXPIRY_QUEUE);
    for (let second = nowS; second < nowS + 30; second += 1) await queue.add({ second }, { jobId: `second:${second}`, delay: 3_600_000 });
    const sale = await shop.sale({ items: [{ stock: 1 }], paymentTimeoutSeconds: 1 });
    const [first, second] = await shop.shoppers(2);
    if (!first || !second) throw new Error('no shoppers');
    await shop.buy(first, sale);
    await shop.ticketWhen(first, sale, ['expired']);
    await until('the unit to be sold again', async () => (await shop.join(second, sale)).status === 202);
  });

  it('are asked again after a while by a sold-out mark whose all-clear was lost', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    const shopper = await shop.shopper();
    shop.get(SoldOutFlags).set(shardOf(sale), sale.itemIds[0] ?? '');
    const isMarked = (await shop.join(shopper, sale)).body.code === 'SOLD_OUT' || shop.get(SoldOutFlags).has(shardOf(sale), sale.itemIds[0] ?? '');
    expect(isMarked).toBe(true);
    await until('the mark to fall', async () => (await shop.join(shopper, sale)).status === 202, 4000);
  });
});

describe('the tables', () => {
  it('come from migrations alone: a start of the service changes none', async () => {
    const services = await freshServices();
    const database = await createConnection(services.databaseUrl);
    await database.query("ALTER TABLE sales ADD COLUMN of_somebody_else INT NULL, MODIFY title VARCHAR(300) NOT NULL DEFAULT 'x'");
    const look = async (): Promise<unknown> => {
      const [columns] = await database.query('SELECT table_name, column_name, column_type, column_default, is_nullable FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY 1, 2');
      return columns;
    };
    const before = await look();
    const shop = await Shop.on(services);
    try {
      await shop.sale();
      expect(await look()).toEqual(before);
    } finally {
      await shop.close();
      await database.end();
    }
  });
});
