import type { RowDataPacket } from 'mysql2/promise';
import { Receiver, type Received } from '../../harness/receiver.js';
import { ok, type TestSale } from '../../harness/shop.js';
import { until } from '../../harness/until.js';
import type { Deployment } from './deployment.js';

export interface MerchantPlan {
  /** How it answers what comes before the disturbance is over, which makes events wait; unless told otherwise it takes everything. */
  meanwhile?: 500 | 410;
  /** What it gave up is replayed once the crowd is done. */
  replays?: true;
  /** The scheduler is killed over the message of this number (of those to be taken): that one was sent, and its outcome is never written. */
  killsSchedulerAt?: number;
}

/** A try that failed once comes again after five seconds, one whose process died after its claim of thirty. */
const DEADLINE_MS = 60_000;

/** A merchant's system that hears everything of a sale, and what must hold for it. */
export class Merchant {
  private isOpen = false;
  private offered = 0;

  private constructor(
    private readonly deployment: Deployment,
    private readonly receiver: Receiver,
    private readonly plan: MerchantPlan,
    private readonly id: string,
  ) {}

  static async open(deployment: Deployment, plan: MerchantPlan): Promise<Merchant> {
    const receiver = await Receiver.open();
    const { body } = ok(await deployment.operator.post('/admin/webhooks', { url: receiver.url }), 201);
    receiver.secret = body.secret;
    const merchant = new Merchant(deployment, receiver, plan, body.id);
    receiver.answer = () => merchant.answer();
    return merchant;
  }

  /** The disturbance is over; what is to be given up, still is until it is replayed. */
  takeAll(): void {
    if (!this.plan.replays) this.isOpen = true;
  }

  /**
   * At least once, nothing twice under two names, in order per order, signed, and nothing left over. Of the answer to an operator whose call
   * was cut off nothing is known, so that call is made again.
   */
  async breaksOf(sale: TestSale): Promise<string[]> {
    const breaks: string[] = [];
    if (this.plan.replays) breaks.push(...(await this.replay(sale)));
    const missing = async (): Promise<string[]> => (await this.expected(sale)).map(({ id }) => id).filter((id) => !this.receiver.taken.some((received) => received.id === id));
    await until('every event to have arrived', async () => (await missing()).length === 0, DEADLINE_MS).catch(() => undefined);
    for (const id of await missing()) breaks.push(`event ${id} never arrived`);
    await until('every delivery to be marked', async () => (await this.listed('pending')).length + (await this.listed('dead')).length === 0, DEADLINE_MS).catch((error: unknown) => breaks.push(String(error)));
    breaks.push(...this.receiver.unverified.map((reason) => `a message that is not signed: ${reason}`), ...this.disorders(await this.expected(sale)), ...this.differences());
    return breaks;
  }

  /** What the merchant has seen, in a few words. */
  summary(): string {
    const { tries, taken } = this.receiver;
    return `${new Set(taken.map(({ id }) => id)).size} events taken in ${tries.length} tries`;
  }

  async close(): Promise<void> {
    await this.call('DELETE', `/admin/webhooks/${this.id}`, [204, 404]).catch(() => undefined);
    await this.receiver.close();
  }

  private answer(): number | 'silence' {
    if (!this.isOpen && this.plan.meanwhile !== undefined) return this.plan.meanwhile;
    this.offered += 1;
    if (this.offered !== this.plan.killsSchedulerAt) return 200;
    // Taken, but the answer finds nobody any more.
    for (const service of this.deployment.processes) if (service.role === 'scheduler') service.kill();
    return 200;
  }

  /** The list of what was given up names the first event of each order and sale, and all of it goes out again. */
  private async replay(sale: TestSale): Promise<string[]> {
    const events = await this.expected(sale);
    const first = [...new Map(events.toReversed().map(({ id, key }) => [key, id])).values()].sort();
    // Unpaid orders of an earlier sale may run out meanwhile, and their events go here, too.
    const dead = async (): Promise<string[]> => {
      const [listed, others] = [await this.listed('dead'), new Set(await this.eventsOfOthers(sale))];
      return listed.filter((id) => !others.has(id)).sort();
    };
    await until('the list of dead letters to be complete', async () => (await dead()).join() === first.join(), DEADLINE_MS).catch(() => undefined);
    const listed = await dead();
    this.isOpen = true;
    await this.call('POST', `/admin/webhooks/${this.id}/replay`, [200]);
    return listed.join() === first.join() ? [] : [`given up are ${listed.length} events, of ${first.length} orders and sales`];
  }

  /** What happened in the sale, the first event of each order first. */
  private async expected({ id }: TestSale): Promise<{ id: string; key: string }[]> {
    const [rows] = await this.deployment.database.query<RowDataPacket[]>(
      `SELECT CONCAT('evt_order_', id) AS event, order_id AS ordering FROM (SELECT * FROM order_events WHERE sale_id = ? ORDER BY id) AS o
        UNION ALL SELECT CONCAT('evt_sale_', id), CONCAT('sale ', sale_id) FROM (SELECT * FROM sale_events WHERE sale_id = ? ORDER BY id) AS s`,
      [id, id],
    );
    return rows.map(({ event, ordering }) => ({ id: String(event), key: String(ordering) })).sort((a, b) => serial(a.id) - serial(b.id));
  }

  private async eventsOfOthers({ id }: TestSale): Promise<string[]> {
    const [rows] = await this.deployment.database.query<RowDataPacket[]>(
      `SELECT CONCAT('evt_order_', id) AS event FROM order_events WHERE sale_id <> ? UNION ALL SELECT CONCAT('evt_sale_', id) FROM sale_events WHERE sale_id <> ?`,
      [id, id],
    );
    return rows.map(({ event }) => String(event));
  }

  /** Events that came although an earlier one of their order had not been taken yet. */
  private disorders(expected: { id: string; key: string }[]): string[] {
    const [taken, breaks] = [new Set<string>(), new Set<string>()];
    for (const { what, received } of this.receiver.journal) {
      if (what === 'taken') taken.add(received.id);
      else for (const { id } of earlier(expected, received)) if (!taken.has(id)) breaks.add(`${received.id} came before ${id} was taken`);
    }
    return [...breaks];
  }

  /** Repeats that are not the same. */
  private differences(): string[] {
    const bodies = new Map<string, string>();
    return this.receiver.tries.flatMap(({ id, body }) => {
      const known = bodies.get(id) ?? body;
      bodies.set(id, known);
      return known === body ? [] : [`event ${id} came with two bodies`];
    });
  }

  /** The ids of all events whose delivery has this status, page by page as operators read them. */
  private async listed(status: 'pending' | 'dead'): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const body = await this.call('GET', `/admin/webhooks/${this.id}/deliveries?status=${status}${cursor === '' ? '' : `&cursor=${cursor}`}`, [200]);
      ids.push(...body.deliveries.map(({ eventId }: { eventId: string }) => eventId));
      cursor = body.nextCursor;
    }
    return ids;
  }

  /** As an operator does it: again while nobody answers, or after signing in anew. */
  private call(method: string, path: string, wanted: number[]): Promise<any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- answers of every shape
    return until(`${method} ${path}`, async () => {
      const answer = await this.deployment.operator.call(method, path).catch(() => undefined);
      if (answer?.status === 401) await this.deployment.signInAgain().catch(() => undefined);
      return answer && wanted.includes(answer.status) && { ...answer.body };
    }, 30_000);
  }
}

const serial = (eventId: string): number => Number(eventId.split('_').at(-1));

function earlier(expected: { id: string; key: string }[], { id, key }: Received): { id: string }[] {
  const lane = expected.filter((event) => event.key === key);
  return lane.slice(0, lane.findIndex((event) => event.id === id));
}
