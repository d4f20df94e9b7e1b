import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { TestShoppers } from '../../src/auth/index.js';
import { OrderClosing } from '../../src/order/order-closing.js';
import { OrderRelay } from '../../src/order/order-relay.js';
import type { Api } from '../harness/api.js';
import { claimAndDie } from '../harness/claims.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';

const NAMES = ['unpaid', 'paid', 'cancelled', 'returning', 'expired', 'claimed', 'waiting'] as const;
type Crowd = Record<(typeof NAMES)[number], Api>;

/** Only the API runs, and a worker where it is said so: nothing is repaired behind the test's back. */
describe('after Redis lost everything', () => {
  let shop: Shop;
  let sale: TestSale;
  let crowd: Crowd;
  const orders: Record<string, string> = {};

  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    shop.bePatient();
    crowd = await signIn(shop);
    sale = await shop.sale({ items: [{ stock: 10, limitPerUser: 1 }] });
    await withWorker(shop, async () => {
      for (const name of NAMES.slice(0, 5)) orders[name] = (await shop.buy(crowd[name], sale)).orderId;
      ok(await crowd.paid.post(`/orders/${orders.paid}/pay`), 200);
      await shop.ticketWhen(crowd.paid, sale, ['paid']);
      ok(await crowd.cancelled.post(`/orders/${orders.cancelled}/cancel`), 200);
    });
    await shop.database.query('UPDATE orders SET pay_before = created_at WHERE id = ?', [orders.expired]);
    expect(await shop.get(OrderClosing).expireDue(Date.now(), 10)).toEqual([orders.expired]);
    ok(await shop.join(crowd.claimed, sale), 202);
    await claimAndDie(shop, sale);
    ok(await shop.join(crowd.waiting, sale), 202);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 5, claimed: 1, held: 3, returning: 1 }] });

    await shop.redis.flushall();
    crowd = await signIn(shop);
    // Its tokens can't go back to stock while nothing is loaded: they wait in the outbox for the build.
    ok(await crowd.returning.post(`/orders/${orders.returning}/cancel`), 200);
  });
  afterAll(() => shop.close());

  const ticketOf = async (name: keyof Crowd): Promise<unknown> => {
    const { body } = await crowd[name].get(`/sales/${sale.id}/ticket`);
    return body.code ?? [body.status, body.orderId, body.reason].filter(Boolean).join(' ');
  };

  it('says that the sale is being loaded until it is', async () => {
    const refused = await shop.join(crowd.waiting, sale);
    expect([refused.status, refused.body.code]).toEqual([503, 'NOT_LOADED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('loads the free tokens, those on their way back among them, and only those', async () => {
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, loaded: true, items: [{ inList: 8, claimed: 0, held: 2, returning: 0 }] });
  });

  it('shows everybody the order they have, and no ticket where none became one', async () => {
    expect(await Promise.all(NAMES.map(ticketOf))).toEqual([
      `awaiting_payment ${orders.unpaid}`,
      `paid ${orders.paid}`,
      `cancelled ${orders.cancelled} CANCELLED_BY_SHOPPER`,
      `cancelled ${orders.returning} CANCELLED_BY_SHOPPER`,
      `expired ${orders.expired} PAYMENT_TIMEOUT`,
      'NO_TICKET',
      'NO_TICKET',
    ]);
  });

  it('still holds the limits', async () => {
    const codes = await Promise.all((['unpaid', 'paid'] as const).map(async (name) => (await shop.join(crowd[name], sale)).body.code));
    expect(codes).toEqual(['UNPAID_ORDER', 'LIMIT_REACHED']);
  });

  it('has put the tokens on their way back into stock once: no relay does it again', async () => {
    await shop.get(OrderRelay).relayPending();
    await shop.get(OrderRelay).relayPending();
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 8, held: 2, returning: 0 }] });
  });

  it('lets everybody join again who may', async () => {
    await withWorker(shop, async () => {
      for (const name of ['cancelled', 'returning', 'expired', 'claimed', 'waiting'] as const) await shop.buy(crowd[name], sale);
    });
    ok(await crowd.unpaid.post(`/orders/${orders.unpaid}/pay`), 200);
    await shop.ticketWhen(crowd.unpaid, sale, ['paid']);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 3, held: 7, returning: 0, claimed: 0 }] });
  });
});

/** The same shoppers at each call, with new sessions, and the operator as well. */
async function signIn(shop: Shop): Promise<Crowd> {
  const login = ok(await shop.api.post('/auth/login', { username: 'operator', password: 'operator-demo' }), 200);
  shop.operator = shop.api.as(login.body.token);
  const apis: Api[] = [];
  for await (const batch of shop.get(TestShoppers).create(NAMES.length, { prefix: 'loss' })) apis.push(...batch.map(({ token }) => shop.api.as(token)));
  return Object.fromEntries(NAMES.map((name, index) => [name, apis[index]])) as Crowd;
}

async function withWorker(shop: Shop, work: () => Promise<void>): Promise<void> {
  const worker: NestFastifyApplication = await shop.start(['worker']);
  await work();
  await shop.stop(worker);
}
