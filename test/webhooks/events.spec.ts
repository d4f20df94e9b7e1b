import type { Api } from '../harness/api.js';
import { random } from '../harness/random.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { Deliverer } from '../../src/webhooks/deliverer.js';
import { RetrySchedule } from '../../src/webhooks/retry-schedule.js';
import { Receiver } from '../harness/receiver.js';

/** Longer than a request may take, as it must be. */
const SHORT_CLAIM_MS = 5500;
const QUICKLY = Array<number>(20).fill(100);

describe('events out', () => {
  let shop: Shop;
  let receivers: Receiver[] = [];
  let webhooks: string[] = [];
  beforeAll(async () => {
    shop = await Shop.open({ WEBHOOK_ALLOW_PRIVATE: '1' });
    shop.get(RetrySchedule).pausesMs = QUICKLY;
  });
  afterEach(async () => {
    for (const id of webhooks) await shop.operator.delete(`/admin/webhooks/${id}`);
    for (const receiver of receivers) await receiver.close();
    [receivers, webhooks] = [[], []];
  });
  afterAll(() => shop.close());

  const register = async (types?: string[]): Promise<{ receiver: Receiver; id: string }> => {
    const receiver = await Receiver.open();
    receivers.push(receiver);
    const { body } = ok(await shop.operator.post('/admin/webhooks', { url: receiver.url, ...(types ? { types } : {}) }), 201);
    receiver.secret = body.secret;
    webhooks.push(body.id);
    return { receiver, id: body.id };
  };
  const deliveries = async (id: string, status: string): Promise<any[]> => ok(await shop.operator.get(`/admin/webhooks/${id}/deliveries?status=${status}`), 200).body.deliveries; // eslint-disable-line @typescript-eslint/no-explicit-any -- deliveries
  const bought = async (sale: TestSale): Promise<{ shopper: Api; orderId: string }> => {
    const shopper = await shop.shopper();
    return { shopper, orderId: (await shop.buy(shopper, sale)).orderId };
  };
  const pay = async (shopper: Api, orderId: string): Promise<void> => {
    ok(await shopper.post(`/orders/${orderId}/pay`), 200);
    await until('a paid order', async () => (await shopper.get(`/orders/${orderId}`)).body.status === 'paid');
  };

  it('sends every type, signed, with the order as it was', async () => {
    const { receiver } = await register();
    const sale = await shop.sale({ items: [{ stock: 3 }], paymentTimeoutSeconds: 4 });
    const [expiring, refunded, cancelled] = [await bought(sale), await bought(sale), await bought(sale)];
    await until('sold out', () => receiver.typesOf(`sale ${sale.id}`).includes('sale.sold_out'));
    ok(await cancelled.shopper.post(`/orders/${cancelled.orderId}/cancel`), 200);
    await pay(refunded.shopper, refunded.orderId);
    ok(await shop.operator.post(`/admin/orders/${refunded.orderId}/refund`), 200);
    await until('the expiry', () => receiver.typesOf(expiring.orderId).length === 2);
    await until('the refund', () => receiver.typesOf(refunded.orderId).length === 3);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/end`), 200);
    await until('the end', () => receiver.typesOf(`sale ${sale.id}`).length === 3);
    expect(receiver.typesOf(expiring.orderId)).toEqual(['order.awaiting_payment', 'order.expired']);
    expect(receiver.typesOf(cancelled.orderId)).toEqual(['order.awaiting_payment', 'order.cancelled']);
    expect(receiver.typesOf(refunded.orderId)).toEqual(['order.awaiting_payment', 'order.paid', 'order.refunded']);
    expect(receiver.typesOf(`sale ${sale.id}`)).toEqual(['sale.opened', 'sale.sold_out', 'sale.ended']);
    const [first, paid] = (receiver.byKey().get(refunded.orderId) ?? []).map(({ event }) => event.data.order);
    expect(first).toMatchObject({ id: refunded.orderId, saleId: sale.id, status: 'awaiting_payment', amountMinor: 100, currency: 'EUR', lines: [{ itemId: sale.itemIds[0], quantity: 1, unitPriceMinor: 100 }] });
    expect(first.paidAt).toBeUndefined();
    expect(paid).toMatchObject({ status: 'paid', paidAt: expect.stringMatching(/Z$/) });
    expect(receiver.unverified).toEqual([]);
  });

  it('keeps the order of each order, and loses nothing, while the receiver fails now and then and two schedulers send', async () => {
    const { next } = random('a receiver that fails');
    const second = await shop.start(['scheduler']);
    second.get(RetrySchedule, { strict: false }).pausesMs = QUICKLY;
    const { receiver } = await register(['order.awaiting_payment', 'order.cancelled']);
    receiver.answer = () => (next(3) === 0 ? 500 : 200);
    const sale = await shop.sale({ items: [{ stock: 20 }] });
    const orders = await Promise.all(Array.from({ length: 20 }, () => bought(sale)));
    await Promise.all(orders.map(({ shopper, orderId }) => shopper.post(`/orders/${orderId}/cancel`)));
    await until('all events', () => orders.every(({ orderId }) => receiver.typesOf(orderId).length === 2), 40_000);
    for (const { orderId } of orders) expect(receiver.typesOf(orderId)).toEqual(['order.awaiting_payment', 'order.cancelled']);
    // Nothing was taken twice: both schedulers lived, and kept to their claims.
    expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(receiver.taken.length);
    expect(receiver.unverified).toEqual([]);
    await shop.stop(second);
  });

  it('sends again what a process that died had in hand', async () => {
    const { receiver, id } = await register(['order.awaiting_payment', 'order.cancelled']);
    receiver.answer = () => 'silence';
    const deliverer = shop.get(Deliverer);
    deliverer.claimMs = SHORT_CLAIM_MS;
    // As a death does: nothing of this process's outcome is ever written.
    Object.assign(deliverer, { writeDown: () => Promise.reject(new Error('dead')) });
    const sale = await shop.sale();
    const { shopper, orderId } = await bought(sale);
    await until('the first try', () => receiver.tries.length === 1);
    ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    const base = shop.api.base;
    await shop.restart();
    expect(shop.api.base).not.toBe(base);
    shop.get(RetrySchedule).pausesMs = QUICKLY;
    receiver.answer = () => 200;
    await until('both events', () => receiver.typesOf(orderId).length === 2, 30_000);
    expect(receiver.typesOf(orderId)).toEqual(['order.awaiting_payment', 'order.cancelled']);
    expect(new Set(receiver.tries.map(({ id: event }) => event)).size).toBe(2);
    await until('both marked', async () => (await deliveries(id, 'delivered')).length === 2);
  });

  it('gives up after the last try, holds back what follows, and goes on in order after a replay or a drop', async () => {
    const { receiver, id } = await register(['order.awaiting_payment', 'order.cancelled']);
    receiver.answer = () => 410;
    const sale = await shop.sale({ items: [{ stock: 2 }] });
    const [replayed, dropped] = [await bought(sale), await bought(sale)];
    const dead = await until('dead ones', async () => (await deliveries(id, 'dead')).length === 2 && (await deliveries(id, 'dead')));
    expect(dead.map(({ attempts, lastError }) => [attempts, lastError])).toEqual([[1, 'answered 410'], [1, 'answered 410']]);
    receiver.answer = () => 200;
    for (const { shopper, orderId } of [replayed, dropped]) ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    const waiting = await until('their followers', async () => (await deliveries(id, 'pending')).length === 2 && (await deliveries(id, 'pending')));
    expect(waiting.map(({ nextTryAt }) => nextTryAt)).toEqual([undefined, undefined]);
    expect(receiver.taken).toEqual([]);
    // Newest first: the later order's is the first.
    expect((await shop.operator.delete(`/admin/webhooks/${id}/deliveries/${waiting[0].id}`)).body.code).toBe('DELIVERY_NOT_DEAD');
    ok(await shop.operator.delete(`/admin/webhooks/${id}/deliveries/${dead[0].id}`), 204);
    await until('the follower of the dropped one', () => receiver.typesOf(dropped.orderId).length === 1);
    expect(receiver.typesOf(dropped.orderId)).toEqual(['order.cancelled']);
    expect(receiver.typesOf(replayed.orderId)).toEqual([]);
    expect(ok(await shop.operator.post(`/admin/webhooks/${id}/replay`), 200).body).toEqual({ replayed: 1 });
    await until('the replayed one', () => receiver.typesOf(replayed.orderId).length === 2);
    expect(receiver.typesOf(replayed.orderId)).toEqual(['order.awaiting_payment', 'order.cancelled']);
  });

  it('does not let a silent endpoint hold up another', async () => {
    const [silent, quick] = [await register(['order.awaiting_payment']), await register(['order.awaiting_payment'])];
    silent.receiver.answer = () => 'silence';
    const sale = await shop.sale({ items: [{ stock: 12 }] });
    const orders = await Promise.all(Array.from({ length: 12 }, () => bought(sale)));
    await until('the silent one is asked', () => silent.receiver.tries.length >= 8);
    await until('the quick one has all', () => orders.every(({ orderId }) => quick.receiver.typesOf(orderId).length === 1), 4500);
    expect(silent.receiver.taken).toEqual([]);
  });

  it('follows no redirect', async () => {
    const { receiver, id } = await register(['order.awaiting_payment']);
    shop.get(RetrySchedule).pausesMs = [];
    receiver.answer = () => 302;
    await bought(await shop.sale());
    const [dead] = await until('a dead one', async () => (await deliveries(id, 'dead')).length === 1 && (await deliveries(id, 'dead')));
    expect([dead.lastError, receiver.tries.length, receiver.unverified]).toEqual(['answered 302', 1, []]);
    shop.get(RetrySchedule).pausesMs = QUICKLY;
  });

  it('tells an endpoint nothing that happened before it was registered, and nothing once it is deleted', async () => {
    const sale = await shop.sale({ items: [{ stock: 2 }] });
    const before = await bought(sale);
    const { receiver, id } = await register();
    ok(await before.shopper.post(`/orders/${before.orderId}/cancel`), 200);
    await until('the later event', () => receiver.typesOf(before.orderId).length > 0);
    expect(receiver.typesOf(before.orderId)).toEqual(['order.cancelled']);
    ok(await shop.operator.delete(`/admin/webhooks/${id}`), 204);
    const count = receiver.tries.length;
    const other = await register(['order.awaiting_payment']);
    const after = await bought(sale);
    await until('the other endpoint', () => other.receiver.typesOf(after.orderId).length === 1);
    expect(receiver.tries.length).toBe(count);
    expect((await shop.operator.get(`/admin/webhooks/${id}/deliveries`)).body.code).toBe('WEBHOOK_NOT_FOUND');
  });
});
