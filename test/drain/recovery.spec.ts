import type { Job } from 'bull';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Api } from '../harness/api.js';
import { decide, claimAndDie, ordersPerTicket, shardOf } from '../harness/claims.js';
import { inParallel } from '../harness/parallel.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { DRAIN_QUEUE, SeckillScripts } from '../../src/seckill/index.js';

/** Faults in the middle of a batch. Each test sets one up while only the API runs, and then starts the worker that has to cope. */
describe('a drain', () => {
  let shop: Shop;
  const workers: NestFastifyApplication[] = [];
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    shop.bePatient();
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await shop.stop(worker);
  });
  afterAll(() => shop.close());

  const startWorker = async (): Promise<void> => void workers.push(await shop.start(['worker', 'scheduler']));

  async function crowd(sale: TestSale, size: number): Promise<Api[]> {
    const shoppers = await shop.shoppers(size);
    for (const shopper of shoppers) ok(await shop.join(shopper, sale), 202);
    return shoppers;
  }

  /** Every shopper has an order, no ticket has two, and every token is in one place. */
  async function expectAllOrdered(sale: TestSale, shoppers: Api[]): Promise<any[]> { // eslint-disable-line @typescript-eslint/no-explicit-any -- tickets
    const tickets = await inParallel(shoppers, 50, (shopper) => shop.ticketWhen(shopper, sale, ['awaiting_payment']));
    expect(await ordersPerTicket(shop, sale)).toEqual(Array(shoppers.length).fill(1));
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: shoppers.length, claimed: 0 }] });
    return tickets;
  }

  it.each(['queue', 'instant'] as const)('finishes a batch whose worker died after the claim, in mode %s', async (mode) => {
    const sale = await shop.sale({ mode, items: [{ stock: 8 }] });
    const shoppers = await crowd(sale, 6);
    expect((await claimAndDie(shop, sale, 4)).tickets).toHaveLength(4);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ claimed: mode === 'queue' ? 4 : 6, held: 0 }] });
    await startWorker();
    await expectAllOrdered(sale, shoppers);
  });

  it('finishes a batch whose worker died after the commit, with the orders that were committed', async () => {
    const sale = await shop.sale({ items: [{ stock: 8 }] });
    const shoppers = await crowd(sale, 5);
    const decided = await decide(shop, await claimAndDie(shop, sale));
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 5, claimed: 0 }] });
    await startWorker();
    const tickets = await expectAllOrdered(sale, shoppers);
    const committed = decided.outcome === 'decided' ? decided.settlements.map((settlement) => 'orderId' in settlement && settlement.orderId) : [];
    expect(tickets.map(({ orderId }) => orderId).sort()).toEqual(committed.sort());
  });

  it.each([['before', false], ['after', true]])('finishes both batches of a worker that died %s it committed the first of them, with the second one claimed', async (_, isCommitted) => {
    const sale = await shop.sale({ items: [{ stock: 8 }] });
    const shoppers = await crowd(sale, 8);
    const first = await claimAndDie(shop, sale, 3);
    const second = await claimAndDie(shop, sale, 3, 3);
    expect([second.again, ...[...first.tickets, ...second.tickets].map(({ seq }) => seq)]).toEqual([false, 1, 2, 3, 4, 5, 6]);
    if (isCommitted) await decide(shop, first);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [isCommitted ? { claimed: 3, held: 3 } : { claimed: 6, held: 0 }] });
    await startWorker();
    await expectAllOrdered(sale, shoppers);
  });

  it('keeps the first batch and drops the second when the sale is loaded anew between their commits', async () => {
    const sale = await shop.sale({ items: [{ stock: 6 }] });
    const shoppers = await crowd(sale, 6);
    const first = await claimAndDie(shop, sale, 3);
    const second = await claimAndDie(shop, sale, 3, 3);
    expect(await decide(shop, first)).toMatchObject({ outcome: 'decided' });
    await shop.wipe(sale);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    expect(await decide(shop, second)).toEqual({ outcome: 'stale' });
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 3, held: 3 }] });
    for (const shopper of shoppers.slice(3)) ok(await shop.join(shopper, sale), 202);
    await startWorker();
    await expectAllOrdered(sale, shoppers);
  });

  it('lets an order that expired before its ticket was settled end as expired', async () => {
    const sale = await shop.sale({ items: [{ stock: 3 }], paymentTimeoutSeconds: 1 });
    const [shopper] = await crowd(sale, 1);
    if (!shopper) throw new Error('no shopper');
    await decide(shop, await claimAndDie(shop, sale));
    const overdue = (): Promise<{ id: string }[]> => shop.database.query('SELECT id FROM orders WHERE sale_id = ? AND pay_before < UTC_TIMESTAMP(3)', [sale.id]);
    await until('the deadline to pass', async () => (await overdue()).length === 1);
    await startWorker();
    await shop.ticketWhen(shopper, sale, ['expired']);
    await until('its token to be back', async () => (await shop.proof(sale)).items[0].inList === 3);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 0, claimed: 0 }] });
    ok(await shop.join(shopper, sale), 202);
    await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
  });

  it('creates nothing twice when the same batch is decided twice at once', async () => {
    const sale = await shop.sale({ items: [{ stock: 40 }] });
    const shoppers = await crowd(sale, 30);
    const batch = await claimAndDie(shop, sale);
    const decisions = await Promise.all([batch, batch, { ...batch, again: true }].map((one) => decide(shop, one)));
    const ordersOf = decisions.map((decision) =>
      decision.outcome === 'decided' ? decision.settlements.map((s) => `${s.ticketId} ${'orderId' in s ? s.orderId : s.outcome}`).sort() : decision.outcome,
    );
    expect(ordersOf[1]).toEqual(ordersOf[0]);
    expect(ordersOf[2]).toEqual(ordersOf[0]);
    await startWorker();
    await expectAllOrdered(sale, shoppers);
  });

  it('shares a shard with a second worker', async () => {
    await startWorker();
    await startWorker();
    const sale = await shop.sale({ items: [{ stock: 300 }] });
    const shoppers = await shop.shoppers(300);
    await inParallel(shoppers, 50, async (shopper) => ok(await shop.join(shopper, sale), 202));
    await expectAllOrdered(sale, shoppers);
  });

  it('commits nothing of a batch that was claimed before the sale was loaded anew', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    const shoppers = await crowd(sale, 3);
    const batch = await claimAndDie(shop, sale);
    await shop.wipe(sale);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    expect(await decide(shop, batch)).toEqual({ outcome: 'stale' });
    expect(await ordersPerTicket(shop, sale)).toEqual([]);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 5, held: 0 }] });
    for (const shopper of shoppers) {
      expect((await shopper.get(`/sales/${sale.id}/ticket`)).body.code).toBe('NO_TICKET');
      ok(await shop.join(shopper, sale), 202);
    }
    await startWorker();
    await expectAllOrdered(sale, shoppers);
  });

  it('is woken by the sweep when the wake-up was lost', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    const shoppers = await crowd(sale, 1);
    const signals = async (): Promise<Job[]> => (await shop.queue(DRAIN_QUEUE).getWaiting()).filter((job) => job.data.saleId === sale.id);
    const [signal] = await until('the wake-up', async () => (await signals()).length === 1 && signals());
    await signal?.remove();
    shoppers.push(...(await crowd(sale, 2)));
    expect(await signals()).toEqual([]);
    await startWorker();
    await expectAllOrdered(sale, shoppers);
    expect(await shop.get(SeckillScripts).check(shardOf(sale))).toEqual({ outcome: 'at_rest' });
  });
});
