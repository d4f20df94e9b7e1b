import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import type { Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { expectRefusal } from './refusals.js';

describe('a ticket', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api', 'scheduler']);
  });
  afterAll(() => shop.close());

  const ticket = (shopper: Api, sale: TestSale) => shopper.get(`/sales/${sale.id}/ticket`);
  const leave = (shopper: Api, sale: TestSale) => shopper.delete(`/sales/${sale.id}/ticket`);
  const queued = async (sale: TestSale): Promise<Api> => {
    const shopper = await shop.shopper();
    ok(await shop.join(shopper, sale), 202);
    return shopper;
  };
  /** Lets a worker decide what waits, for as long as `work` takes. */
  const withWorker = async (work: () => Promise<void>): Promise<void> => {
    const worker: NestFastifyApplication = await shop.start(['worker']);
    try {
      await work();
    } finally {
      await shop.stop(worker);
    }
  };

  describe('that waits', () => {
    it('shows its place and when to ask again, in the order of the joins', async () => {
      const sale = await shop.sale();
      for (const position of [1, 2, 3]) {
        const shopper = await queued(sale);
        const { body, headers } = ok(await ticket(shopper, sale), 200);
        expect(body).toEqual({ ticketId: expect.any(String), status: 'queued', position, etaSeconds: expect.any(Number), pollAfterMs: expect.any(Number) });
        expect(body.pollAfterMs).toBeGreaterThanOrEqual(300);
        expect(body.pollAfterMs).toBeLessThanOrEqual(10_000);
        expect(headers.get('retry-after')).toBe(String(Math.ceil(body.pollAfterMs / 1000)));
      }
    });

    it('keeps its shopper from joining again', async () => {
      const sale = await shop.sale({ items: [{ stock: 5, limitPerUser: 5 }] });
      const shopper = await queued(sale);
      await expectRefusal(shop, () => shop.join(shopper, sale), 409, 'ALREADY_QUEUED');
    });

    it('can be given back once, and again without harm, and is replaced by a new one at the end of the line', async () => {
      const sale = await shop.sale();
      const [shopper, other] = [await queued(sale), await queued(sale)];
      const { ticketId } = ok(await ticket(shopper, sale), 200).body;
      for (let repeat = 0; repeat < 2; repeat += 1) expect(ok(await leave(shopper, sale), 204).body).toBe('');
      expect(ok(await ticket(shopper, sale), 200).body).toEqual({ ticketId, status: 'left', reason: 'LEFT_BY_SHOPPER' });
      const again = ok(await shop.join(shopper, sale), 202).body;
      expect(again.ticketId).not.toBe(ticketId);
      expect(ok(await ticket(shopper, sale), 200).body).toMatchObject({ ticketId: again.ticketId, status: 'queued', position: 3 });
      expect(ok(await ticket(other, sale), 200).body.position).toBe(2);
      expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 10, claimed: 0 }] });
    });

    it('is reserved in mode instant, and can not be given back any more', async () => {
      const sale = await shop.sale({ mode: 'instant' });
      const shopper = await shop.shopper();
      expect(ok(await shop.join(shopper, sale), 202).body).toMatchObject({ status: 'reserved', position: 1 });
      expect(ok(await ticket(shopper, sale), 200).body).toMatchObject({ status: 'reserved', position: 1 });
      const { body } = await expectRefusal(shop, () => leave(shopper, sale), 409, 'TICKET_CLAIMED');
      expect(body.ticketStatus).toBe('reserved');
      await expectRefusal(shop, () => shop.join(shopper, sale), 409, 'ALREADY_QUEUED');
      expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 9, claimed: 1 }] });
    });
  });

  it('is not there for who never joined, nor where there is no sale, nor for a stranger', async () => {
    const sale = await shop.sale();
    const shopper = await shop.shopper();
    await expectRefusal(shop, () => ticket(shopper, sale), 404, 'NO_TICKET');
    await expectRefusal(shop, () => leave(shopper, sale), 404, 'NO_TICKET');
    await expectRefusal(shop, () => ticket(shop.api, sale), 401, 'UNAUTHENTICATED');
    const later = await shop.sale({ startsInMs: 3_600_000, endsInMs: 7_200_000 });
    await expectRefusal(shop, () => ticket(shopper, later), 404, 'NO_TICKET');
    await expectRefusal(shop, () => leave(shopper, later), 404, 'NO_TICKET');
  });

  it('of a shopper tells nothing of another one', async () => {
    const sale = await shop.sale();
    const [one, two] = [await queued(sale), await queued(sale)];
    const [first, second] = [ok(await ticket(one, sale), 200).body, ok(await ticket(two, sale), 200).body];
    expect(first.ticketId).not.toBe(second.ticketId);
    ok(await leave(two, sale), 204);
    expect(ok(await ticket(one, sale), 200).body).toMatchObject({ ticketId: first.ticketId, status: 'queued' });
  });

  it('that was left is passed over, and its place goes to the next', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    const [leaver, next] = [await queued(sale), await queued(sale)];
    ok(await leave(leaver, sale), 204);
    await withWorker(async () => {
      await shop.ticketWhen(next, sale, ['awaiting_payment']);
      expect(ok(await ticket(leaver, sale), 200).body.status).toBe('left');
    });
  });

  it('ends sold out, in the order of the joins, with the reason', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    const [first, second] = [await queued(sale), await queued(sale)];
    const { ticketId } = ok(await ticket(second, sale), 200).body;
    await withWorker(async () => {
      await shop.ticketWhen(first, sale, ['awaiting_payment']);
      expect(await shop.ticketWhen(second, sale, ['sold_out'])).toEqual({ ticketId, status: 'sold_out', reason: 'SOLD_OUT' });
      const { body } = await expectRefusal(shop, () => leave(second, sale), 409, 'TICKET_CLAIMED');
      expect([body.ticketStatus, body.detail]).toEqual(['sold_out', 'The ticket is no longer waiting in line: it has ended (sold_out).']);
    });
  });

  it('awaits payment with everything a shopper needs to pay, and can not be given back', async () => {
    const sale = await shop.sale({ items: [{ stock: 5, limitPerUser: 3, priceMinor: 199 }], paymentTimeoutSeconds: 60 });
    const shopper = await shop.shopper();
    ok(await shop.join(shopper, sale, [{ itemId: sale.itemIds[0] ?? '', quantity: 3 }]), 202);
    await withWorker(async () => {
      const won = await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
      expect(won).toEqual({
        ticketId: expect.any(String), status: 'awaiting_payment', orderId: expect.any(String), amountMinor: 597, currency: 'EUR', payBefore: expect.any(String), pollAfterMs: 2000,
      });
      expect(Math.abs(Date.parse(won.payBefore) - Date.now() - 60_000)).toBeLessThan(5000);
      expect(ok(await ticket(shopper, sale), 200).headers.get('retry-after')).toBe('2');
      const { body } = await expectRefusal(shop, () => leave(shopper, sale), 409, 'TICKET_CLAIMED');
      expect(body.ticketStatus).toBe('awaiting_payment');
    });
  });

  it('ends paid, cancelled or expired as its order does, and says why', async () => {
    const sale = await shop.sale({ items: [{ stock: 5, limitPerUser: 1 }], paymentTimeoutSeconds: 2 });
    const [payer, canceller, sleeper] = [await queued(sale), await queued(sale), await queued(sale)];
    await withWorker(async () => {
      const orderOf = async (shopper: Api): Promise<string> => (await shop.ticketWhen(shopper, sale, ['awaiting_payment'])).orderId;
      ok(await payer.post(`/orders/${await orderOf(payer)}/pay`), 200);
      ok(await canceller.post(`/orders/${await orderOf(canceller)}/cancel`), 200);
      expect(ok(await ticket(canceller, sale), 200).body).toMatchObject({ status: 'cancelled', reason: 'CANCELLED_BY_SHOPPER', orderId: await firstOrder(canceller) });
      const paid = await shop.ticketWhen(payer, sale, ['paid']);
      expect(paid).toMatchObject({ orderId: await firstOrder(payer) });
      expect(paid).not.toHaveProperty('reason');
      expect(await shop.ticketWhen(sleeper, sale, ['expired'])).toMatchObject({ reason: 'PAYMENT_TIMEOUT', orderId: await firstOrder(sleeper) });
      for (const shopper of [payer, canceller, sleeper]) {
        const ended = ok(await ticket(shopper, sale), 200);
        for (const member of ['position', 'etaSeconds', 'pollAfterMs']) expect(ended.body).not.toHaveProperty(member);
        expect(ended.headers.get('retry-after')).toBeNull();
        await expectRefusal(shop, () => leave(shopper, sale), 409, 'TICKET_CLAIMED');
      }
      await shop.buy(sleeper, sale);
      await shop.buy(canceller, sale);
      await expectRefusal(shop, () => shop.join(payer, sale), 409, 'LIMIT_REACHED');
    });
  });

  const firstOrder = async (shopper: Api): Promise<string> => ok(await shopper.get('/orders'), 200).body.orders[0].id;

  it('is rejected, with the reason, where MySQL knows of an order that Redis does not', async () => {
    const sale = await shop.sale();
    const shopper = await queued(sale);
    const { id } = ok(await shopper.get('/auth/me'), 200).body;
    await shop.database.query(
      `INSERT INTO orders (id, sale_id, shard, user_id, ticket_id, status, amount_minor, currency, created_at, pay_before)
       VALUES (?, ?, 0, ?, ?, 'awaiting_payment', 100, 'EUR', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 1 HOUR)`,
      [randomUUID(), sale.id, id, randomUUID()],
    );
    await withWorker(async () => {
      const { ticketId } = ok(await ticket(shopper, sale), 200).body;
      expect(await shop.ticketWhen(shopper, sale, ['rejected'])).toEqual({ ticketId, status: 'rejected', reason: 'UNPAID_ORDER' });
      expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 10, held: 0 }] });
    });
  });
});
