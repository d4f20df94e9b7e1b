import { CrowdFault, told, type CrowdAnswer, type CrowdClient } from './crowd-client.js';

/** What the answer to a join was; `tookMs` as the shopper felt it. */
export type Joined =
  | { outcome: 'joined'; pollAfterMs: number; tookMs: number }
  | { outcome: 'refused'; code: string; tookMs: number; startsAtMs?: number };

/** What became of a ticket: an order to be paid, or an end. */
export type Decided = { outcome: 'ordered'; orderId: string } | { outcome: 'ended'; status: string };

const WAITING = ['queued', 'reserved', 'standby'];
/** Refusals of a join that say something about the sale or the shopper, and not about the call. */
const REFUSALS = ['SOLD_OUT', 'ENDED', 'PAUSED', 'NOT_STARTED', 'LIMIT_REACHED', 'UNPAID_ORDER'];
const [LOOK_EVERY_MS, PAID_WITHIN_MS] = [300, 60_000];

/** One shopper of a crowd. Joins, follows the ticket as slowly as the service asks for, pays or cancels. */
export class CrowdShopper {
  constructor(
    private readonly client: CrowdClient,
    private readonly token: string,
  ) {}

  /** Asks for some units of an item. @throws CrowdFault for an answer that no shopper should get */
  async join(saleId: string, itemId: string, quantity = 1): Promise<Joined> {
    const answer = await this.post(`/sales/${saleId}/tickets`, { items: [{ itemId, quantity }] });
    const { status, body, tookMs } = answer;
    if (status === 202) return { outcome: 'joined', pollAfterMs: number(body.pollAfterMs), tookMs };
    const code = String(body.code);
    // The first try was taken, and its answer was lost.
    if (code === 'ALREADY_QUEUED') return { outcome: 'joined', pollAfterMs: 0, tookMs };
    if (!REFUSALS.includes(code)) throw new CrowdFault(`a join ${told(answer)}`);
    return { outcome: 'refused', code, tookMs, ...(typeof body.startsAt === 'string' && { startsAtMs: Date.parse(body.startsAt) }) };
  }

  /** Looks at the ticket until it is an order or has ended. @throws CrowdFault */
  async follow(saleId: string, pollAfterMs: number): Promise<Decided> {
    for (let pauseMs = pollAfterMs; ; ) {
      await this.client.pause(pauseMs);
      const answer = await this.get(`/sales/${saleId}/ticket`);
      if (answer.status !== 200) throw new CrowdFault(`a look at a ticket ${told(answer)}`);
      const { status, orderId, pollAfterMs: next } = answer.body;
      if (status === 'awaiting_payment' && typeof orderId === 'string') return { outcome: 'ordered', orderId };
      if (!WAITING.includes(String(status))) return { outcome: 'ended', status: String(status) };
      pauseMs = number(next);
    }
  }

  /** Pays an order with the sandbox and waits until the payment is confirmed. @throws CrowdFault */
  async pay(orderId: string): Promise<void> {
    this.expect(await this.post(`/orders/${orderId}/pay`, { provider: 'sandbox' }), 'a payment');
    const deadlineMs = performance.now() + PAID_WITHIN_MS;
    for (;;) {
      await this.client.pause(LOOK_EVERY_MS);
      const { status } = this.expect(await this.get(`/orders/${orderId}`), 'a look at an order').body;
      if (status === 'paid') return;
      if (status !== 'awaiting_payment') throw new CrowdFault(`an order was ${String(status)} while it was being paid`);
      if (performance.now() > deadlineMs) throw new CrowdFault(`a payment was not confirmed within ${PAID_WITHIN_MS / 1000} s`);
    }
  }

  /** Gives an unpaid order up. @throws CrowdFault */
  async cancel(orderId: string): Promise<void> {
    const answer = await this.post(`/orders/${orderId}/cancel`);
    if (this.expect(answer, 'a cancel').body.status !== 'cancelled') throw new CrowdFault('an order was cancelled, and is not');
  }

  private expect(answer: CrowdAnswer, what: string): CrowdAnswer {
    if (answer.status !== 200) throw new CrowdFault(`${what} ${told(answer)}`);
    return answer;
  }

  private get(path: string): Promise<CrowdAnswer> {
    return this.client.call({ method: 'GET', path, token: this.token });
  }

  private post(path: string, body?: object): Promise<CrowdAnswer> {
    return this.client.call({ method: 'POST', path, token: this.token, ...(body && { body }) });
  }
}

/** @throws CrowdFault for what is none */
function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new CrowdFault('the service says no pollAfterMs');
  return value;
}
