import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Api } from '../harness/api.js';
import { shardOf } from '../harness/claims.js';
import { inParallel, tally } from '../harness/parallel.js';
import { confirmPayment, sandboxEvent, type SandboxPayment } from '../harness/sandbox.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { Preloader, saleKeys, SaleReader } from '../../src/goods/index.js';
import { OrderRelay } from '../../src/order/order-relay.js';
import { Hand, TokenTaking } from '../../src/order/token-taking.js';

interface Bought {
  shopper: Api;
  sale: TestSale;
  orderId: string;
  payment: SandboxPayment;
}

/** The sandbox's own webhooks never arrive here: the tests play the provider, at the moment they want. */
describe('money', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({ HOST: '127.0.0.2' });
  });
  afterAll(() => shop.close());

  const buy = async (sale: TestSale, shopper: Api): Promise<Bought> => {
    const { orderId } = await shop.buy(shopper, sale);
    const { payment, amountMinor, currency } = ok(await shopper.post(`/orders/${orderId}/pay`), 200).body;
    return { shopper, sale, orderId, payment: { id: payment.id, amountMinor, currency } };
  };
  const bought = async (stock: number, plan: { limitPerUser?: number; paymentTimeoutSeconds?: number } = {}): Promise<Bought> => {
    const { limitPerUser = 1, ...policy } = plan;
    return buy(await shop.sale({ items: [{ stock, limitPerUser }], ...policy }), await shop.shopper());
  };
  const orderOf = async ({ shopper, orderId }: Bought) => ok(await shopper.get(`/orders/${orderId}`), 200).body;
  const ticketOf = async ({ shopper, sale }: Bought) => ok(await shopper.get(`/sales/${sale.id}/ticket`), 200).body;
  const cancel = async ({ shopper, orderId }: Bought): Promise<Answer> => ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
  const pay = async ({ payment }: Bought, times = 1): Promise<void> => {
    for (let delivery = 0; delivery < times; delivery += 1) ok(await confirmPayment(shop.api, payment), 200);
  };
  const refund = (orderId: string, body?: object): Promise<Answer> => shop.operator.post(`/admin/orders/${orderId}/refund`, body);
  const eventsOf = async (paymentId: string): Promise<number> => {
    const [row] = await shop.database.query('SELECT COUNT(*) AS events FROM payment_events WHERE payment_id = ?', [paymentId]);
    return Number(row.events);
  };

  describe('that comes after its order closed', () => {
    it('buys the units again when they are still free, once, however often it is said', async () => {
      const one = await bought(2);
      await cancel(one);
      await pay(one, 3);
      expect(await orderOf(one)).toMatchObject({ status: 'paid' });
      expect((await orderOf(one)).refund).toBeUndefined();
      await until('the ticket to know', async () => (await ticketOf(one)).status === 'paid');
      expect(await shop.proof(one.sale)).toMatchObject({ ok: true, items: [{ inList: 1, held: 1, claimed: 0 }] });
      expect((await shop.join(one.shopper, one.sale)).body.code).toBe('LIMIT_REACHED');
      expect(await eventsOf(one.payment.id)).toBe(1);
    });

    it('shows the ticket as paid even where the word of the closing reaches it after that of the payment', async () => {
      const one = await bought(2);
      await cancel(one);
      await pay(one);
      await until('the ticket to know', async () => (await ticketOf(one)).status === 'paid');
      await shop.database.query(`UPDATE order_events SET relayed_at = NULL WHERE order_id = ? AND to_status = 'cancelled'`, [one.orderId]);
      await until('the closing to be relayed once more', async () => {
        await shop.get(OrderRelay).relayPending();
        const [left] = await shop.database.query('SELECT COUNT(*) AS pending FROM order_events WHERE relayed_at IS NULL AND order_id = ?', [one.orderId]);
        return Number(left.pending) === 0;
      });
      expect(await ticketOf(one)).toMatchObject({ status: 'paid', orderId: one.orderId });
    });

    it('does so after the time to pay, too', async () => {
      const one = await bought(2, { paymentTimeoutSeconds: 1 });
      await until('the order to expire', async () => (await orderOf(one)).status === 'expired');
      await pay(one);
      expect(await orderOf(one)).toMatchObject({ status: 'paid' });
    });

    it('goes back when somebody else has the units by now', async () => {
      const one = await bought(1);
      await cancel(one);
      const other = await buy(one.sale, await shop.shopper());
      await pay(one, 2);
      expect((await orderOf(one)).status).toBe('cancelled');
      await until('the money to be back', async () => (await orderOf(one)).refund === 'done');
      await pay(other);
      expect((await orderOf(other)).status).toBe('paid');
      expect(await shop.proof(one.sale)).toMatchObject({ ok: true, items: [{ inList: 0, held: 1 }] });
    });

    it('comes after who stands by, also while nobody is served: it is asked for again, and goes back when the line has had the unit', async () => {
      const sale = await shop.sale({ items: [{ stock: 1 }], standbyLimit: 2 });
      const one = await buy(sale, await shop.shopper());
      const waiting = await shop.shopper();
      ok(await shop.join(waiting, sale), 202);
      await shop.ticketWhen(waiting, sale, ['standby']);
      ok(await shop.operator.post(`/admin/sales/${sale.id}/pause`, { claims: 'stop' }), 200);
      await cancel(one);
      expect((await confirmPayment(shop.api, one.payment)).status).toBe(503);
      ok(await shop.operator.post(`/admin/sales/${sale.id}/resume`), 200);
      await shop.ticketWhen(waiting, sale, ['awaiting_payment']);
      await pay(one);
      await until('the money to be back', async () => (await orderOf(one)).refund === 'done');
      expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1, inList: 0 }] });
    });

    it('goes back when its shopper has as many units as the limit allows by now, and no unit is lost over it', async () => {
      const one = await bought(3);
      await cancel(one);
      const again = await buy(one.sale, one.shopper);
      await pay(again);
      await pay(one);
      expect((await orderOf(one)).status).toBe('cancelled');
      await until('the money to be back', async () => (await orderOf(one)).refund === 'done');
      expect(await ticketOf(again)).toMatchObject({ status: 'paid', orderId: again.orderId });
      expect(await shop.proof(one.sale)).toMatchObject({ ok: true, items: [{ inList: 2, held: 1, claimed: 0 }] });
    });

    it('does not disturb the place in line that its shopper has taken meanwhile', async () => {
      const one = await bought(3, { limitPerUser: 2 });
      await cancel(one);
      const again = await buy(one.sale, one.shopper);
      await pay(one);
      expect((await orderOf(one)).status).toBe('paid');
      expect(await ticketOf(again)).toMatchObject({ status: 'awaiting_payment', orderId: again.orderId });
      await pay(again);
      expect(await shop.proof(one.sale)).toMatchObject({ ok: true, items: [{ inList: 1, held: 2 }] });
    });
  });

  it('that comes while its shopper is joining again is never lost: it buys units or goes back', async () => {
    const sale = await shop.sale({ items: [{ stock: 100, limitPerUser: 2 }] });
    const late = await inParallel(await shop.shoppers(40), 10, async (shopper) => {
      const one = await buy(sale, shopper);
      await cancel(one);
      return one;
    });
    await inParallel(late, 20, async (one, index) => {
      const joining = shop.join(one.shopper, sale);
      await delay(index % 20);
      await pay(one, 2);
      ok(await joining, 202);
    });
    await until('every payment to have an end', async () => {
      const rows: { status: string }[] = await shop.database.query('SELECT p.status FROM payments p JOIN orders o ON o.id = p.order_id WHERE o.sale_id = ?', [sale.id]);
      return rows.every(({ status }) => status === 'succeeded' || status === 'refunded');
    });
    // Two units a shopper are allowed, and there are enough: nobody's money had to go back.
    expect(tally(await inParallel(late, 20, async (one) => (await orderOf(one)).status))).toEqual({ paid: 40 });
    await inParallel(late, 20, (one) => shop.ticketWhen(one.shopper, sale, ['awaiting_payment']));
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 20, held: 80, claimed: 0 }] });
  });

  it('that is late counts for the limit of its shopper, on whichever shard that is', async () => {
    const sale = await shop.sale({ shards: 4, items: [{ stock: 80 }] });
    const late = await inParallel(await shop.shoppers(16), 8, (shopper) => buy(sale, shopper));
    for (const one of late) {
      await cancel(one);
      await pay(one);
    }
    const codes = await inParallel(late, 8, async (one) => (await shop.join(one.shopper, sale)).body.code);
    expect(tally(codes)).toEqual({ LIMIT_REACHED: 16 });
    expect((await shop.proof(sale)).ok).toBe(true);
  });

  it('that comes while the sale is not loaded is asked for again, and then buys its units', async () => {
    const one = await bought(2);
    await cancel(one);
    await shop.redis.hdel(saleKeys.sale(shardOf(one.sale)), 'epoch');
    const answer = await confirmPayment(shop.api, one.payment);
    if (answer.status !== 200) expect(answer).toMatchObject({ status: 503, body: { code: 'NOT_LOADED' } });
    await until('the provider to be heard', async () => (await confirmPayment(shop.api, one.payment)).status === 200);
    expect((await orderOf(one)).status).toBe('paid');
  });

  it('whose units were taken before a rebuild gets others after it', async () => {
    const one = await bought(3);
    const tokens = shop.get(TokenTaking);
    const hand = new Hand();
    const take = async (): Promise<string> => {
      const sale = await shop.get(SaleReader).get(one.sale.id);
      return (await tokens.take(hand, { sale, epoch: sale.epoch, wanted: [{ itemId: one.sale.itemIds[0] ?? '', units: 2 }] })).outcome;
    };
    expect(await take()).toBe('taken');
    await shop.get(Preloader).renew(one.sale.id, 'a test');
    expect((await shop.proof(one.sale)).items[0]).toMatchObject({ inList: 2, claimed: 0 });
    expect(await take()).toBe('taken');
    expect((await shop.proof(one.sale)).items[0]).toMatchObject({ inList: 0, claimed: 2 });
    await tokens.giveBack(hand);
    expect(await shop.proof(one.sale)).toMatchObject({ ok: true, items: [{ inList: 2, held: 1 }] });
  });

  it('that pays an order a second time goes back, and the order stays paid', async () => {
    const one = await bought(1);
    ok(await shop.api.post('/payments/sandbox/webhook', ...sandboxEvent('failed', one.payment)), 200);
    const { payment } = ok(await one.shopper.post(`/orders/${one.orderId}/pay`), 200).body;
    await pay({ ...one, payment: { ...one.payment, id: payment.id } });
    await pay(one);
    await until('the second payment to be back', async () => (await orderOf(one)).refund === 'done');
    expect((await orderOf(one)).status).toBe('paid');
    expect(await shop.database.query('SELECT status FROM payments WHERE order_id = ? ORDER BY status', [one.orderId])).toEqual([{ status: 'refunded' }, { status: 'succeeded' }]);
  });

  describe('that an operator sends back', () => {
    it('leaves the order refunded, once, and its units are on sale again', async () => {
      const one = await bought(1);
      await pay(one);
      const answers = await Promise.all([1, 2, 3].map(() => refund(one.orderId)));
      expect(answers.map(({ status, body }) => [status, body.status])).toEqual(Array(3).fill([200, 'refunded']));
      await until('the money to be back', async () => (await orderOf(one)).refund === 'done');
      expect(await ticketOf(one)).toMatchObject({ status: 'cancelled', reason: 'REFUNDED' });
      expect(await shop.proof(one.sale)).toMatchObject({ ok: true, items: [{ inList: 1, held: 0, returning: 0 }] });
      await buy(one.sale, one.shopper);
    });

    it('or takes them out of sale', async () => {
      const one = await bought(2);
      await pay(one);
      ok(await refund(one.orderId, { returnUnits: false }), 200);
      expect(await shop.proof(one.sale)).toMatchObject({ ok: true, items: [{ inList: 1, held: 0, withdrawn: 1 }] });
      const [item] = await shop.database.query('SELECT stock, sold FROM sale_items WHERE sale_id = ?', [one.sale.id]);
      expect(item).toMatchObject({ stock: 1, sold: 0 });
    });

    it('is refused for an order that is not paid, or not there, and to shoppers', async () => {
      const one = await bought(1);
      expect((await refund(one.orderId)).body).toMatchObject({ code: 'ORDER_NOT_REFUNDABLE', orderStatus: 'awaiting_payment' });
      await cancel(one);
      expect((await refund(one.orderId)).body).toMatchObject({ code: 'ORDER_NOT_REFUNDABLE', orderStatus: 'cancelled' });
      expect((await refund('nothing')).body.code).toBe('ORDER_NOT_FOUND');
      expect((await refund(one.orderId, { returnUnits: 'yes' })).body.code).toBe('VALIDATION_FAILED');
      expect((await one.shopper.post(`/admin/orders/${one.orderId}/refund`)).body.code).toBe('FORBIDDEN');
    });
  });

  it('of which the provider sent back something else than was paid leaves the order as it is, for a person to look at', async () => {
    const one = await bought(1);
    await pay(one);
    for (const [index, change] of [{ amountMinor: 1 }, { currency: 'USD' }, { amountMinor: -100 }].entries()) {
      ok(await shop.api.post('/payments/sandbox/webhook', ...sandboxEvent('refunded', { ...one.payment, ...change }, `refund-${index}`)), 200);
    }
    expect(await orderOf(one)).toMatchObject({ status: 'paid' });
    expect(await eventsOf(one.payment.id)).toBe(4);
  });

  it('that was sent back at the provider itself makes the order refunded, also when that is said twice or before our own call has its answer', async () => {
    const one = await bought(1);
    await pay(one);
    const said = sandboxEvent('refunded', one.payment);
    await Promise.all([refund(one.orderId), shop.api.post('/payments/sandbox/webhook', ...said), shop.api.post('/payments/sandbox/webhook', ...said)]);
    expect(await orderOf(one)).toMatchObject({ status: 'refunded', refund: 'done' });
    expect(await shop.database.query('SELECT status FROM payments WHERE order_id = ?', [one.orderId])).toEqual([{ status: 'refunded' }]);
    const [events] = await shop.database.query(`SELECT COUNT(*) AS n FROM order_events WHERE order_id = ? AND to_status = 'refunded'`, [one.orderId]);
    expect(Number(events.n)).toBe(1);
    await until('the unit to be back', async () => (await shop.proof(one.sale)).items[0].inList === 1);
  });
});
