import type { Job } from 'bull';
import { readFile, writeFile } from 'node:fs/promises';
import { ExpiryProcessor } from '../../src/order/expiry.processor.js';
import type { ExpiryJob } from '../../src/order/expiry.schedule.js';
import { NEXT_STATUSES } from '../../src/order/order-status.js';
import type { Answer, Api } from '../harness/api.js';
import { sandboxEvent, type SandboxPayment, type SandboxRefund } from '../harness/sandbox.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { CELLS, EVENTS, STATES, tablesAsMarkdown, type Cell, type Event, type Outcome, type State } from './state-table.js';

const DOCUMENT = new URL('../../docs/orders.md', import.meta.url);
const TABLES = /(<!-- tables: written by WRITE_DOCS=1 npm test -- test\/orders\/state-table -->\n\n)[^]*(\n\n<!-- end -->)/;
const ARROW = /^ *(\[\*\]|\w+) --> (\w+)/gm;

describe('docs/orders.md', () => {
  it('shows the table as it is', async () => {
    const document = await readFile(DOCUMENT, 'utf8');
    const written = document.replace(TABLES, (_, begin: string, end: string) => begin + tablesAsMarkdown() + end);
    if (process.env['WRITE_DOCS']) await writeFile(DOCUMENT, written);
    else expect(document).toBe(written);
    expect(written).toContain(tablesAsMarkdown());
  });

  it('draws every step that an order may take, and no other', async () => {
    const drawn = [...(await readFile(DOCUMENT, 'utf8')).matchAll(ARROW)].map(([, from, to]) => `${from} ${to}`);
    const steps = Object.entries(NEXT_STATUSES).flatMap(([from, next]) => next.map((to) => `${from} ${to}`));
    expect(drawn.sort()).toEqual(['[*] awaiting_payment', ...steps].sort());
  });
});

/** One order on its way through a cell. */
interface Subject {
  sale: TestSale;
  shopper: Api;
  orderId: string;
  /** what providers speak of; unknown to the service where the order has none */
  payment: SandboxPayment;
}

/** The sandbox's own webhooks never arrive here: the test plays the provider. */
describe('the service', () => {
  let shop: Shop;
  let said = 0;
  beforeAll(async () => {
    shop = await Shop.open({ HOST: '127.0.0.2' });
  });
  afterAll(() => shop.close());

  const pay = async ({ shopper, orderId }: Subject): Promise<SandboxPayment> => {
    const { payment, amountMinor, currency } = ok(await shopper.post(`/orders/${orderId}/pay`), 200).body;
    return { id: payment.id, amountMinor, currency };
  };
  const say = (result: 'succeeded' | 'failed' | 'refunded' | 'refund_failed', payment: SandboxPayment, eventId = `event-${(said += 1)}`, refund?: SandboxRefund): Promise<Answer> =>
    shop.api.post('/payments/sandbox/webhook', ...sandboxEvent(result, payment, eventId, refund));
  const sayRefundFailed = ({ payment, orderId }: Subject, isFinal: boolean, eventId?: string): Promise<Answer> =>
    say('refund_failed', payment, eventId, { reference: `refund-of-${orderId}`, reason: 'account_closed', isFinal });

  /** As if time had passed: the deadline is moved instead of the clock, and the job of its second runs. */
  const runOut = async ({ orderId }: Subject): Promise<void> => {
    await shop.database.query('UPDATE orders SET pay_before = ? WHERE id = ?', [new Date(Date.now() - 1000), orderId]);
    await shop.get(ExpiryProcessor).expire({ data: { second: Math.floor(Date.now() / 1000) } } as Job<ExpiryJob>);
  };

  const bringInto = async (state: State, stock: number): Promise<Subject> => {
    const [sale, shopper] = [await shop.sale({ items: [{ stock }] }), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    const subject: Subject = { sale, shopper, orderId, payment: { id: '01900000-0000-7000-8000-000000000000', amountMinor: 100, currency: 'EUR' } };
    if (state === 'unasked') return subject;
    subject.payment = await pay(subject);
    if (state === 'failed' || state === 'paid_by_another') ok(await say('failed', subject.payment), 200);
    if (state === 'paid_by_another') ok(await say('succeeded', await pay(subject)), 200);
    if (state === 'paid' || state === 'refunded' || state === 'unrefunded') ok(await say('succeeded', subject.payment), 200);
    if (state === 'refunded' || state === 'unrefunded') {
      ok(await shop.operator.post(`/admin/orders/${orderId}/refund`), 200);
      await until('the money to be back', async () => ok(await shopper.get(`/orders/${orderId}`), 200).body.refund === 'done');
    }
    if (state === 'unrefunded') ok(await sayRefundFailed(subject, true), 200);
    if (state === 'cancelled') ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    if (state === 'expired') await runOut(subject);
    return subject;
  };

  /** Lets the event happen; providers call it `eventId`. */
  const fire = async (event: Event, subject: Subject, eventId: string): Promise<Answer | undefined> => {
    const { shopper, orderId, payment } = subject;
    switch (event) {
      case 'pay':
      case 'cancel':
        return shopper.post(`/orders/${orderId}/${event}`);
      case 'succeeded':
      case 'failed':
        return say(event, payment, eventId);
      case 'refunded':
        return say(event, payment, eventId, { reference: `later-refund-of-${orderId}` });
      case 'refund_failed':
        return sayRefundFailed(subject, true, eventId);
      case 'refund_failed_for_now': {
        const answer = await sayRefundFailed(subject, false, eventId);
        // As if the pause before the next one had passed.
        await shop.database.query(`UPDATE payments SET next_refund_at = ? WHERE order_id = ? AND status = 'refund_due'`, [new Date(Date.now() - 1000), orderId]);
        return answer;
      }
      case 'succeeded_other_amount':
        return say('succeeded', { ...payment, amountMinor: payment.amountMinor + 1 }, eventId);
      case 'succeeded_other_currency':
        return say('succeeded', { ...payment, currency: 'USD' }, eventId);
      case 'refunded_in_part':
        return say('refunded', { ...payment, amountMinor: payment.amountMinor - 1 }, eventId);
      case 'refund':
      case 'refund_and_withdraw':
        return shop.operator.post(`/admin/orders/${orderId}/refund`, { returnUnits: event === 'refund' });
      case 'expire':
        await runOut(subject);
        return undefined;
    }
  };

  /** What is seen of the order once nothing is on its way any more. */
  const look = async ({ sale, orderId }: Subject): Promise<Pick<Outcome, 'order' | 'payments' | 'units'>> => {
    const payments: { status: Outcome['payments'][number] }[] = await until('no money to be due back', async () => {
      const rows = await shop.database.query('SELECT status FROM payments WHERE order_id = ? ORDER BY created_at, id', [orderId]);
      return !rows.some(({ status }: { status: string }) => status === 'refund_due') && rows;
    });
    const proof = await until('a proof that is ok', async () => {
      const now = await shop.proof(sale);
      return now.ok && now.items[0].returning === 0 && now.items[0].claimed === 0 && now;
    });
    const [held] = await shop.database.query('SELECT COUNT(*) AS units FROM held_tokens WHERE order_id = ?', [orderId]);
    const [order] = await shop.database.query('SELECT status FROM orders WHERE id = ?', [orderId]);
    const { inList, withdrawn, stock } = proof.items[0];
    const units = Number(held.units) > 0 ? 'held' : withdrawn > 0 ? 'out of sale' : inList === stock ? 'on sale' : "somebody else's";
    return { order: order.status, payments: payments.map(({ status }) => status), units };
  };

  const answerOf = (answer: Answer | undefined): string | undefined => answer && [answer.status, answer.body.code].filter(Boolean).join(' ');
  const refundsOf = async ({ orderId }: Subject): Promise<boolean> => {
    const [row] = await shop.database.query('SELECT SUM(refund_tries) AS tries FROM payments WHERE order_id = ?', [orderId]);
    return Number(row.tries) > 0;
  };

  const named = CELLS.map((cell): [string, Cell] => [`${STATES[cell.state]} | ${EVENTS[cell.event]}${cell.outcome.when ? `; ${cell.outcome.when}` : ''}`, cell]);
  it.each(named)('does what the table says, once, however often it happens: %s', async (_, { state, event, outcome }) => {
    const { when, goesBack, answer, ...expected } = outcome;
    const subject = await bringInto(state, when === 'units are gone' ? 1 : 2);
    if (when === 'units are gone') await shop.buy(await shop.shopper(), subject.sale);
    const sentBefore = await refundsOf(subject);
    // The second time as a replay of the very same event, the third time as one that says the same.
    for (const eventId of ['first', 'first', 'second'].map((name) => `${name}-${subject.orderId}`)) {
      const got = answerOf(await fire(event, subject, eventId));
      expect({ ...(await look(subject)), answer: got }).toEqual({ ...expected, answer });
    }
    expect(await refundsOf(subject)).toBe(sentBefore || goesBack === true);
  });
});
