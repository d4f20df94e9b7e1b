import { setTimeout as delay } from 'node:timers/promises';
import { booksOf } from '../harness/books.js';
import { untilTaken, type Answer, type Api } from '../harness/api.js';
import { inParallel, tally } from '../harness/parallel.js';
import { random } from '../harness/random.js';
import { confirmPayment } from '../harness/sandbox.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const [ROUNDS, AT_A_TIME, NEWCOMERS] = [300, 75, 50];

/** What happens in one round, in milliseconds from the order's deadline. */
interface Plan {
  payAt: number;
  confirmAt: number;
  cancelAt: number;
}

interface Purchase {
  shopper: Api;
  orderId: string;
  payBefore: string;
}

interface Round extends Purchase {
  paid?: Answer;
  cancelled: Answer;
}

interface Traces {
  id: string;
  status: string;
  events: number;
  cancels: number;
  returns: number;
  held: number;
  succeeded: number;
  open: number;
}

describe('pay, cancel and expire at the same moment', () => {
  let shop: Shop;
  let sale: TestSale;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
    sale = await shop.sale({ items: [{ stock: ROUNDS }], paymentTimeoutSeconds: 2 });
  });
  afterAll(() => shop.close());

  let rounds: Round[];
  let closed: Round[];

  it(`let one of them win, in ${ROUNDS} rounds`, async () => {
    const { next } = random('races');
    const plans = Array.from({ length: ROUNDS }, (): Plan => ({ payAt: next(1500) - 1400, confirmAt: next(800) - 700, cancelAt: next(700) - 500 }));
    const shoppers = await shop.shoppers(ROUNDS);
    rounds = await inParallel(shoppers, AT_A_TIME, async (shopper, index) => race(shop, await buy(shop, sale, shopper), plans[index] as Plan));
    const traces = await until('every order to be closed and relayed', async () => {
      const found = await tracesOf(shop, sale);
      return found.every(({ status }) => status !== 'awaiting_payment') && (await pendingRows(shop, sale)) === 0 && found;
    });
    expect(traces).toHaveLength(ROUNDS);
    for (const trace of traces) {
      const isPaid = trace.status === 'paid';
      // Money that came when the order had just closed has bought the unit again: closed and paid, one after the other.
      const wasLate = isPaid && trace.events === 2;
      expect(trace).toMatchObject({ events: wasLate ? 2 : 1, returns: isPaid && !wasLate ? 0 : 1, held: isPaid ? 1 : 0, succeeded: isPaid ? 1 : 0, open: 0 });
    }
    const cancelledOnce = new Set(traces.filter(({ cancels }) => cancels === 1).map(({ id }) => id));
    const statusOf = new Map(traces.map(({ id, status }) => [id, status]));
    closed = rounds.filter(({ orderId }) => statusOf.get(orderId) !== 'paid');
    for (const { shopper, orderId, cancelled } of rounds) {
      expect([orderId, cancelled.status]).toEqual([orderId, cancelledOnce.has(orderId) ? 200 : 409]);
      expect((await shopper.get(`/sales/${sale.id}/ticket`)).body).toMatchObject({ orderId, status: statusOf.get(orderId) });
    }
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: closed.length, returning: 0 }] });
    // Each must have won now and then, or this was no race.
    expect(Object.keys(tally(statusOf.values())).sort()).toEqual(['cancelled', 'expired', 'paid']);
  }, 180_000);

  it('free each unit once: it can be bought again exactly once', async () => {
    await shop.database.query('UPDATE sales SET payment_timeout_seconds = 900 WHERE id = ?', [sale.id]);
    const winners = rounds.filter((round) => !closed.includes(round)).map(({ shopper }) => shopper);
    const others = [...closed.map(({ shopper }) => shopper), ...(await shop.shoppers(NEWCOMERS))];
    const codes = await inParallel(winners.slice(0, 20), 20, async (shopper) => (await shop.join(shopper, sale)).body.code);
    expect(new Set(codes)).toEqual(new Set(['LIMIT_REACHED']));
    await inParallel(others, AT_A_TIME, (shopper) => shop.join(shopper, sale));
    await until('all units to be sold', async () => (await booksOf(shop, sale)).heldUnits === ROUNDS);
    expect(await booksOf(shop, sale)).toMatchObject({ sold: ROUNDS, users: ROUNDS, mostUnits: 1, inList: 0, orders: { awaiting_payment: closed.length } });
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  });
});

async function buy(shop: Shop, sale: TestSale, shopper: Api): Promise<Purchase> {
  ok(await shop.join(shopper, sale), 202);
  // On a slow machine the deadline may have passed before the ticket was seen.
  const { orderId, payBefore } = await shop.ticketWhen(shopper, sale, ['awaiting_payment', 'expired']);
  return { shopper, orderId, payBefore };
}

async function race(shop: Shop, { shopper, orderId, payBefore }: Purchase, plan: Plan): Promise<Round> {
  const moment = (ms: number): Promise<void> => delay(Math.max(0, Date.parse(payBefore) + ms - Date.now()));
  const paying = moment(plan.payAt).then(async () => {
    const paid = await shopper.post(`/orders/${orderId}/pay`);
    if (paid.body.payment === undefined) return paid;
    await moment(plan.confirmAt);
    const payment = { ...paid.body.payment, amountMinor: paid.body.amountMinor, currency: paid.body.currency };
    await inParallel([1, 2], 2, async () => ok(await untilTaken(() => confirmPayment(shop.api, payment)), 200));
    return paid;
  });
  const cancelling = moment(plan.cancelAt).then(() => untilTaken(() => shopper.post(`/orders/${orderId}/cancel`)));
  const [paid, cancelled] = await Promise.all([paying, cancelling]);
  return { shopper, orderId, payBefore, paid, cancelled };
}

async function tracesOf(shop: Shop, sale: TestSale): Promise<Traces[]> {
  const count = (table: string, where = ''): string => `(SELECT COUNT(*) FROM ${table} t WHERE t.order_id = o.id ${where})`;
  const rows: Record<string, string>[] = await shop.database.query(
    `SELECT o.id, o.status, ${count('order_events', 'AND t.from_status IS NOT NULL')} AS events, ${count('order_events', `AND t.to_status = 'cancelled'`)} AS cancels, ${count('token_returns')} AS returns, ${count('held_tokens')} AS held,
            ${count('payments', `AND t.status = 'succeeded'`)} AS succeeded, ${count('payments', `AND t.status = 'pending'`)} AS open
       FROM orders o WHERE o.sale_id = ?`,
    [sale.id],
  );
  return rows.map(({ id = '', status = '', ...counts }) => {
    const { events, cancels, returns, held, succeeded, open } = counts;
    return { id, status, events: Number(events), cancels: Number(cancels), returns: Number(returns), held: Number(held), succeeded: Number(succeeded), open: Number(open) };
  });
}

async function pendingRows(shop: Shop, sale: TestSale): Promise<number> {
  const pending = (table: string): string => `SELECT COUNT(*) AS pending FROM ${table} WHERE relayed_at IS NULL AND sale_id = ${sale.id}`;
  const rows: { pending: string }[] = await shop.database.query(`${pending('token_returns')} UNION ALL ${pending('order_events')}`);
  return rows.reduce((sum, row) => sum + Number(row.pending), 0);
}
