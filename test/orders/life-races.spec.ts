import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Api } from '../harness/api.js';
import { inParallel, tally } from '../harness/parallel.js';
import { random } from '../harness/random.js';
import { sandboxEvent, type SandboxPayment } from '../harness/sandbox.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const ROUNDS = Number(process.env.RACE_ROUNDS ?? 200);
const LONG_MS = 60_000;

/** What happens to orders and sales at the same moment. Each race has one winner, and money, tokens and tickets agree about it. */
describe('at the same moment', () => {
  let shop: Shop;
  const dice = random('life races');
  beforeAll(async () => {
    // The sandbox's own webhooks never arrive: the tests play the provider.
    shop = await Shop.open({ HOST: '127.0.0.2' });
    shop.bePatient();
  });
  afterAll(() => shop.close());

  /** After up to so many milliseconds; what a busy machine did not answer in time may or may not have happened. */
  const soon = async (withinMs: number, call: () => Promise<Answer>): Promise<Answer> => {
    await delay(dice.next(withinMs));
    return call();
  };
  const notBroken = (answers: Answer[]): void => expect(answers.map(({ status }) => status).filter((status) => status >= 500 && status !== 503)).toEqual([]);
  const admin = (sale: TestSale, path = ''): string => `/admin/sales/${sale.id}${path}`;
  const say = (result: 'succeeded' | 'refunded', payment: SandboxPayment): Promise<Answer> => shop.api.post('/payments/sandbox/webhook', ...sandboxEvent(result, payment));

  it(`an order is paid, cancelled, expired, refunded by its operator and at its provider, ${ROUNDS} times: one history, and its money and units agree`, async () => {
    const sale = await shop.sale({ items: [{ stock: ROUNDS }], paymentTimeoutSeconds: 3 });
    await inParallel(await shop.shoppers(ROUNDS), 20, async (shopper) => {
      ok(await shop.join(shopper, sale), 202);
      const { orderId } = await shop.ticketWhen(shopper, sale, ['awaiting_payment', 'expired'], LONG_MS);
      const { status, body } = await shopper.post(`/orders/${orderId}/pay`);
      if (status !== 200) return;
      const payment = { id: body.payment.id, amountMinor: body.amountMinor, currency: body.currency };
      // Some come long before the deadline, some when it is over.
      const span = dice.pick([50, 50, 4000]);
      notBroken(await Promise.all([
        soon(span, () => say('succeeded', payment)), soon(span, () => say('succeeded', payment)), soon(span, () => say('refunded', payment)),
        soon(span, () => shopper.post(`/orders/${orderId}/cancel`)), soon(span, () => shop.operator.post(`/admin/orders/${orderId}/refund`)),
      ]));
    });
    const orders = await until('all to have come to rest', async () => {
      const found = await tracesOf(shop, sale);
      return found.every(({ status, due }) => status !== 'awaiting_payment' && due === 0) && found;
    }, LONG_MS);
    expect(orders).toHaveLength(ROUNDS);
    for (const order of orders) {
      const isHolding = order.status === 'paid';
      // Every step of the history follows from the one before, and the order stands where it ends.
      expect([order.id, order.steps.split(',').every((step, at, all) => at === 0 || step.split('>')[0] === all[at - 1]?.split('>')[1])]).toEqual([order.id, true]);
      expect(order).toMatchObject({ last: order.status, held: isHolding ? 1 : 0, paying: isHolding ? 1 : 0 });
      // A unit is given back as often as the order was left, whether or not it was had again.
      expect([order.id, order.returned]).toEqual([order.id, order.left]);
    }
    expect(Object.keys(tally(orders.map(({ status }) => status))).length).toBeGreaterThan(1);
    await until('every unit to be in one place', async () => (await shop.proof(sale)).ok && (await shop.proof(sale)).items[0].returning === 0, LONG_MS);
  }, 240_000);

  it(`a unit comes back to a standby line and the sale ends, ${ROUNDS} times: the first in line has it, or everybody is told that it is sold out`, async () => {
    const outcomes = await inParallel(Array.from({ length: ROUNDS }, () => 0), 10, async () => {
      const sale = await shop.sale({ items: [{ stock: 1 }], standbyLimit: 5 });
      const [winner, ...waiting] = (await shop.shoppers(3)) as [Api, Api, Api];
      const { orderId } = await shop.buy(winner, sale);
      for (const shopper of waiting) ok(await shop.join(shopper, sale), 202);
      for (const shopper of waiting) await shop.ticketWhen(shopper, sale, ['standby'], LONG_MS);
      notBroken(await Promise.all([soon(60, () => winner.post(`/orders/${orderId}/cancel`)), soon(60, () => shop.operator.post(admin(sale, '/end')))]));
      const ends = [];
      for (const shopper of waiting) ends.push((await shop.ticketWhen(shopper, sale, ['awaiting_payment', 'sold_out'], LONG_MS)).status);
      expect(ends[1]).toBe('sold_out');
      const isSold = ends[0] === 'awaiting_payment';
      await until('the unit to be in its place', async () => {
        const { ok: isOk, items } = await shop.proof(sale);
        return isOk && items[0].held === (isSold ? 1 : 0) && items[0].inList === (isSold ? 0 : 1);
      }, LONG_MS);
      return isSold ? 'first in line' : 'nobody';
    });
    expect(Object.keys(tally(outcomes)).sort()).toEqual(['first in line', 'nobody']);
  }, 600_000);

  it(`units are withdrawn, added and bought, ${ROUNDS} times: each is in one place, and what was withdrawn is not sold`, async () => {
    const sale = await shop.sale({ items: [{ stock: ROUNDS, limitPerUser: 3 }] });
    const [itemId = ''] = sale.itemIds;
    const stock = (delta: number): Promise<Answer> => shop.operator.post(admin(sale, `/items/${itemId}/stock`), { delta });
    const answers = await inParallel(await shop.shoppers(ROUNDS), 20, (shopper) => Promise.all([
      soon(30, () => shop.join(shopper, sale, [{ itemId, quantity: 1 + dice.next(3) }])), soon(30, () => stock(-1 - dice.next(3))), soon(30, () => stock(1 + dice.next(2))),
    ]));
    notBroken(answers.flat());
    expect(new Set(answers.flatMap(([, withdrawn]) => (withdrawn.status === 200 ? [] : [withdrawn.body.code])))).toEqual(new Set(['STOCK_HELD']));
    const proof = await until('all to have come to rest', async () => {
      const [found, { body }] = [await shop.proof(sale), await shop.operator.get(admin(sale, '/stats'))];
      const [item] = found.items;
      return found.ok && body.waiting + body.claimed + item.claimed + item.returning === 0 && found;
    }, LONG_MS);
    const [{ issued, stock: onSale, sold }] = await shop.database.query('SELECT issued, stock, sold FROM sale_items WHERE id = ?', [itemId]);
    expect(proof.items[0]).toMatchObject({ stock: issued, held: sold, inList: onSale - sold, withdrawn: issued - onSale });
    expect(proof.items[0].withdrawn).toBeGreaterThan(0);
    expect(sold).toBeGreaterThan(0);
  }, 240_000);

  it(`a sale is extended and ends, ${ROUNDS} times: one wins, and everybody is told the same`, async () => {
    const outcomes = await inParallel(await shop.shoppers(ROUNDS), 20, async (shopper) => {
      const sale = await shop.sale({ items: [{ stock: 1 }], endsInMs: 3000 });
      const { endsAt } = ok(await shop.operator.get(admin(sale)), 200).body;
      const untilEnd = (): number => Date.parse(endsAt) - Date.now();
      // The last second before the end is too late.
      await delay(Math.max(0, untilEnd() - 1000 + dice.next(600) - 300));
      const extended = await shop.operator.patch(admin(sale), { endsAt: new Date(Date.now() + LONG_MS).toISOString() });
      await delay(Math.max(0, untilEnd() + 50));
      const joined = await shop.join(shopper, sale);
      expect([extended.status, joined.status]).toEqual(extended.status === 200 ? [200, 202] : [409, 410]);
      return extended.status === 200 ? 'extended' : 'ended';
    });
    expect(Object.keys(tally(outcomes)).sort()).toEqual(['ended', 'extended']);
  }, 240_000);
});

interface Trace {
  id: string;
  status: string;
  /** `from>to` of each step, in order */
  steps: string;
  last: string;
  held: number;
  paying: number;
  due: number;
  /** how often it left a status in which it holds its unit */
  left: number;
  returned: number;
}

async function tracesOf(shop: Shop, sale: TestSale): Promise<Trace[]> {
  const count = (table: string, where: string): string => `(SELECT COUNT(*) FROM ${table} t WHERE t.order_id = o.id AND ${where})`;
  const rows: Record<string, string>[] = await shop.database.query(
    `SELECT o.id, o.status, (SELECT GROUP_CONCAT(CONCAT(COALESCE(e.from_status, ''), '>', e.to_status) ORDER BY e.id) FROM order_events e WHERE e.order_id = o.id) AS steps,
            ${count('held_tokens', 'TRUE')} AS held, ${count('payments', `t.status = 'succeeded'`)} AS paying, ${count('payments', `t.status = 'refund_due'`)} AS due,
            ${count('order_events', `t.to_status IN ('expired', 'cancelled', 'refunded')`)} AS left_times, ${count('token_returns', 'TRUE')} AS returned
       FROM orders o WHERE o.sale_id = ?`,
    [sale.id],
  );
  return rows.map(({ id = '', status = '', steps = '', ...counts }) => ({
    id, status, steps, last: steps.split(',').at(-1)?.split('>')[1] ?? '',
    held: Number(counts.held), paying: Number(counts.paying), due: Number(counts.due), left: Number(counts.left_times), returned: Number(counts.returned),
  }));
}
