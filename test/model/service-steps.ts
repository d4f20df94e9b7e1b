import fc from 'fast-check';
import { Preloader, saleKeys, SaleReader } from '../../src/goods/index.js';
import { OrderClosing } from '../../src/order/order-closing.js';
import { OrderRelay } from '../../src/order/order-relay.js';
import { SeckillScripts } from '../../src/seckill/index.js';
import type { Api } from '../harness/api.js';
import { decide, shardOf } from '../harness/claims.js';
import { confirmPayment } from '../harness/sandbox.js';
import { ok, type Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import type { Basket, ServiceModel } from './service-model.js';
import { verify } from './verify-service.js';

export const SHOPPERS = 5;
const MOST_TICKETS = 3;

/** The service with the one sale of a run. */
export interface Real {
  shop: Shop;
  sale: TestSale;
  shoppers: Api[];
}

/** Something that happens: to the model, to the service, and then both are compared. */
class Step implements fc.AsyncCommand<ServiceModel, Real> {
  constructor(
    private readonly name: string,
    private readonly happen: (model: ServiceModel, real: Real) => Promise<void>,
  ) {}

  check = (): boolean => true;

  async run(model: ServiceModel, real: Real): Promise<void> {
    await this.happen(model, real);
    await verify(model, real);
  }

  toString(): string {
    return this.name;
  }
}

const user = fc.nat(SHOPPERS - 1);
const basket = fc.uniqueArray(fc.record({ item: fc.nat(1), quantity: fc.integer({ min: 1, max: 2 }) }), { minLength: 1, maxLength: 2, selector: ({ item }) => item });

export const join = fc.tuple(user, basket).map(([who, lines]) => new Step(`join(${who}, ${text(lines)})`, async (model, real) => {
  // A copy: the model knows a ticket by its basket.
  const expected = model.join(who, lines.map((line) => ({ ...line })));
  const items = lines.map(({ item, quantity }) => ({ itemId: real.sale.itemIds[item], quantity }));
  const answer = async (): Promise<string> => {
    const { status, body } = await shopper(real, who).post(`/sales/${real.sale.id}/tickets`, { items });
    return status === 202 ? 'OK' : body.code;
  };
  const first = await answer();
  // A process that knows an item as sold out says so to anyone, for up to two seconds.
  if (first === expected || (first === 'SOLD_OUT' && lines.some(({ item }) => model.free(item) === 0) && expected !== 'OK')) return;
  await until(`the join of ${who} to be answered ${expected}, not ${first}`, async () => first === 'SOLD_OUT' && (await answer()) === expected, 4000);
}));

export const leave = user.map((who) => new Step(`leave(${who})`, async (model, real) => {
  const expected = model.leave(who);
  const { status, body } = await shopper(real, who).call('DELETE', `/sales/${real.sale.id}/ticket`);
  same('leave', status === 204 ? 'OK' : body.code, expected);
}));

/** A drain's round, which may die after each of its steps. */
export const drain = fc.constantFrom('settled', 'settled', 'settled', 'claimed', 'committed').map((end) => new Step(`drain until ${end}`, async (model, real) => {
  const { shop, sale } = real;
  const shard = shardOf(sale);
  const call = { drainId: `drain-${Math.random()}`, leaseMs: 1, maxTickets: MOST_TICKETS, itemIds: sale.itemIds };
  const claim = await until('the lease of a dead drain to end', async () => {
    const claimed = await shop.get(SeckillScripts).claim(shard, call);
    return claimed.outcome !== 'busy' && claimed;
  });
  model.claim(MOST_TICKETS);
  if (claim.outcome !== 'claimed') return same('claim', claim.outcome, 'empty');
  if (end === 'claimed') return;
  const decided = await decide(shop, { sale: await shop.get(SaleReader).get(sale.id), shard, ...claim });
  model.commit();
  if (decided.outcome === 'stale') throw new Error('the batch was stale');
  if (end === 'committed') return;
  same('settle', await shop.get(SeckillScripts).settle(shard, { epoch: claim.epoch, drainId: call.drainId, itemIds: sale.itemIds, settlements: decided.settlements }), 'settled');
  model.settle();
}));

export const pay = user.map((who) => new Step(`pay(${who})`, async (model, real) => {
  const order = model.unpaid(who);
  if (!order) return;
  const id = await unpaidOrder(real, who);
  const { body } = ok(await shopper(real, who).post(`/orders/${id}/pay`), 200);
  if (body.payment) ok(await confirmPayment(real.shop.api, { ...body.payment, amountMinor: body.amountMinor, currency: body.currency }), 200);
  model.close(order, 'paid');
  model.relay([order]);
}));

export const cancel = user.map((who) => new Step(`cancel(${who})`, async (model, real) => {
  const order = model.unpaid(who);
  if (!order) return;
  ok(await shopper(real, who).post(`/orders/${await unpaidOrder(real, who)}/cancel`), 200);
  model.close(order, 'cancelled');
  model.relay([order]);
}));

/** Every unpaid order runs out; whoever closed them may die before the units are back. */
export const expire = fc.boolean().map((dies) => new Step(dies ? 'expire all, and die' : 'expire all', async (model, real) => {
  const expired = await expireAll(real.shop);
  const due = model.orders.filter(({ status }) => status === 'awaiting_payment');
  same('expired orders', expired.length, due.length);
  for (const order of due) model.close(order, 'expired');
  if (dies) return;
  await real.shop.get(OrderRelay).relayOrders(expired);
  model.relay(due);
}));

export const relay = fc.constant(new Step('relay', async (model, real) => {
  await real.shop.get(OrderRelay).relaySale(real.sale.id);
  model.relay(model.orders);
}));

export const changeStock = fc.tuple(fc.nat(1), fc.integer({ min: -3, max: 3 }).filter((delta) => delta !== 0)).map(([item, delta]) => new Step(`stock(${item}, ${delta})`, async (model, real) => {
  const stock = model.stock[item] ?? 0;
  const { status, body } = await real.shop.operator.post(`/admin/sales/${real.sale.id}/items/${real.sale.itemIds[item]}/stock`, { delta });
  const allowed = delta > 0 || model.free(item) >= -delta;
  same('stock change', status === 200 ? 'OK' : body.code, allowed ? 'OK' : 'STOCK_HELD');
  if (!allowed) return;
  model.stock[item] = stock + delta;
  // New units come through the outbox, and with them what else is waiting there.
  if (delta > 0) model.relay(model.orders);
}));

export const steer = fc.constantFrom('pause', 'resume').map((action) => new Step(action, async (model, real) => {
  ok(await real.shop.operator.post(`/admin/sales/${real.sale.id}/${action}`), 200);
  model.isPaused = action === 'pause';
}));

/** Redis loses the sale, restarts with what it had, or a hand deletes one key; the preload builds the state anew. */
export const crash = fc.constantFrom('wiped', 'restarted', 'queue', 'goods', 'working').map((what) => new Step(`redis: ${what}`, async (model, real) => {
  const { shop, sale } = real;
  const shard = shardOf(sale);
  if (what === 'wiped') await shop.wipe(sale);
  else if (what === 'restarted') await shop.redis.hset(saleKeys.sale(shard), 'runId', 'that of a server before');
  else {
    // In mode `instant` a claim that nobody has in hand may stand for an entry of the queue: such a loss shows only later.
    if (what === 'working' && model.mode === 'instant') return;
    const isThere = (await shop.redis.del(saleKeys[what as 'queue'](shard))) === 1;
    same('check', (await shop.get(SeckillScripts).check(shard)).outcome === 'frozen', isThere);
    if (!isThere) return;
  }
  await shop.get(Preloader).preload(sale.id);
  model.rebuild(what !== 'wiped');
}));

/** Expires every unpaid order, whatever its deadline, and answers the orders. */
export function expireAll(shop: Shop): Promise<string[]> {
  return shop.get(OrderClosing).expireDue(Date.now() + 365 * 24 * 3_600_000, 1000);
}

function shopper({ shoppers }: Real, who: number): Api {
  const found = shoppers[who];
  if (!found) throw new RangeError(`there is no shopper ${who}`);
  return found;
}

async function unpaidOrder(real: Real, who: number): Promise<string> {
  const { body } = ok(await shopper(real, who).get('/orders'), 200);
  return body.orders.find((order: { saleId: string; status: string }) => order.saleId === real.sale.id && order.status === 'awaiting_payment').id;
}

function same(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${what}: ${String(found)} instead of ${String(expected)}`);
}

const text = (lines: Basket): string => lines.map(({ item, quantity }) => `${quantity} of ${item}`).join(' and ');
