import { setTimeout as delay } from 'node:timers/promises';
import { TEST_SHOPPER_PASSWORD, type ShopperToken } from '../../../src/auth/index.js';
import type { Api, Answer } from '../../harness/api.js';
import { confirmPayment } from '../../harness/sandbox.js';
import { until } from '../../harness/until.js';

/**
 * What a shopper does with an order once it may be paid: `keep` holds it unpaid, `abandon` waits until it has run out, `late` pays it and
 * cancels it before the provider's word comes, which then comes nevertheless; `late and wrong` the same with an amount that no order takes.
 */
export type Intent = 'pay' | 'cancel' | 'keep' | 'abandon' | 'late' | 'late and wrong';

/** What one shopper was told, from the first join to the end. */
export interface Story {
  username: string;
  intent: Intent;
  basket: { itemId: string; quantity: number }[];
  /** Orders that the service said may be paid: promises it must keep. */
  promised: Set<string>;
  /** Tickets this shopper was given. */
  tickets: Set<string>;
  /** Order in which `queued` or `reserved` answers arrived, over the whole crowd. */
  end?: { status: string; orderId?: string };
  /** Answers that should not happen: 5xx other than 503, or a 4xx out of place. */
  faults: string[];
  /** Joins that had to be made again because the ticket was lost with Redis. */
  lostTickets: number;
}

export interface Plan {
  saleId: string;
  basketOf: (index: number) => { itemId: string; quantity: number }[];
  intentOf: (index: number) => Intent;
  /** How long the whole crowd may take to come to its end. */
  deadlineMs: number;
}

const TERMINAL = ['paid', 'sold_out', 'rejected', 'expired', 'cancelled', 'left'];
const REFUSED_FOR_GOOD = ['SOLD_OUT', 'ENDED', 'LIMIT_REACHED'];
const PAUSE_MS = 60;

/** Sends every shopper through the sale at once, each as patient as a real one: it retries what failed and asks for its ticket. */
export async function runCrowd(api: Api, shoppers: ShopperToken[], plan: Plan): Promise<Story[]> {
  const untilMs = Date.now() + plan.deadlineMs;
  return Promise.all(shoppers.map((shopper, index) => new Shopper(api, shopper, index, plan, untilMs).live()));
}

class Shopper {
  private readonly story: Story;
  private as: Api;

  constructor(
    private readonly api: Api,
    { username, token }: ShopperToken,
    index: number,
    private readonly plan: Plan,
    private readonly untilMs: number,
  ) {
    this.as = api.as(token);
    this.story = {
      username, intent: plan.intentOf(index), basket: plan.basketOf(index),
      promised: new Set(), tickets: new Set(), faults: [], lostTickets: 0,
    };
  }

  async live(): Promise<Story> {
    while (Date.now() < this.untilMs && !this.story.end) {
      const joined = await this.call('POST', `/sales/${this.plan.saleId}/tickets`, { items: this.story.basket });
      if (joined?.status === 202) this.story.tickets.add(joined.body.ticketId);
      if (joined && REFUSED_FOR_GOOD.includes(joined.body.code)) await this.giveUp(joined.body.code);
      else if (joined && [202, 409, 503].includes(joined.status)) await this.follow();
      else if (joined) this.story.faults.push(`join ${joined.status} ${JSON.stringify(joined.body)}`);
      await delay(PAUSE_MS);
    }
    return this.story;
  }

  /** A join whose answer was lost may have counted: only who holds no ticket takes the refusal for the end. */
  private async giveUp(code: string): Promise<void> {
    const ticket = await this.call('GET', `/sales/${this.plan.saleId}/ticket`);
    if (ticket?.status === 200) await this.follow();
    else if (ticket?.body.code === 'NO_TICKET') this.story.end = { status: code };
  }

  /** Asks for the ticket until it ends; comes back to join again when there is none. */
  private async follow(): Promise<void> {
    while (Date.now() < this.untilMs) {
      const { status, body } = (await this.call('GET', `/sales/${this.plan.saleId}/ticket`)) ?? { status: 0, body: {} };
      if (body.code === 'NO_TICKET') {
        if (this.story.tickets.size > 0) this.story.lostTickets += 1;
        return;
      }
      if (status === 200) {
        this.story.tickets.add(body.ticketId);
        if (TERMINAL.includes(body.status)) {
          this.story.end = { status: body.status, orderId: body.orderId };
          return;
        }
        if (body.status === 'awaiting_payment' && (await this.decide(body.orderId))) return;
      }
      await delay(PAUSE_MS);
    }
  }

  private async decide(orderId: string): Promise<boolean> {
    this.story.promised.add(orderId);
    if (this.story.intent === 'keep') {
      this.story.end = { status: 'awaiting_payment', orderId };
      return true;
    }
    if (this.story.intent === 'late') return this.payLate(orderId, 0);
    if (this.story.intent === 'late and wrong') return this.payLate(orderId, 1);
    if (this.story.intent !== 'abandon') await this.call('POST', `/orders/${orderId}/${this.story.intent}`);
    return false;
  }

  /** The order ends paid after all, or its money goes back. False when the shopper's own calls got no answer, or were too slow. */
  private async payLate(orderId: string, tooMuchMinor: number): Promise<boolean> {
    const paid = await this.call('POST', `/orders/${orderId}/pay`);
    const cancelled = await this.call('POST', `/orders/${orderId}/cancel`);
    if (paid?.status !== 200 || cancelled?.status !== 200 || !paid.body.payment) return false;
    const payment = { id: paid.body.payment.id, amountMinor: paid.body.amountMinor + tooMuchMinor, currency: paid.body.currency };
    await until('the word of the provider to be taken', async () => (await confirmPayment(this.api, payment).catch(() => undefined))?.status === 200, 30_000);
    const status = await until('the late money to have come to rest', async () => {
      const order = (await this.call('GET', `/orders/${orderId}`))?.body;
      return (order?.status === 'paid' || order?.refund === 'done') && String(order.status);
    }, 30_000);
    this.story.end = { status, orderId };
    return true;
  }

  /** One call; undefined when the connection broke. A wiped session is answered with a new login, as a person would. */
  private async call(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    try {
      const answer = await this.as.call(method, path, body);
      if (answer.status === 401) await this.signInAgain();
      if (answer.status >= 500 && answer.status !== 503) this.story.faults.push(`${method} ${path} ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.status === 401 ? undefined : answer;
    } catch {
      return undefined;
    }
  }

  private async signInAgain(): Promise<void> {
    const { status, body } = await this.api.post('/auth/login', { username: this.story.username, password: TEST_SHOPPER_PASSWORD });
    if (status === 200) this.as = this.api.as(body.token);
  }
}
