import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { booksOf } from '../harness/books.js';
import { Crowd, outcomeOf } from '../harness/crowd.js';
import { inParallel, tally } from '../harness/parallel.js';
import { random } from '../harness/random.js';
import { Shop, type TestSale } from '../harness/shop.js';
import type { Services } from '../harness/services.js';
import { until } from '../harness/until.js';

const [SHOPPERS, REQUESTS, CONCURRENCY, STOCK, LIMIT] = [500, 50_000, 100, 200, 2];
/** Orders that are cancelled instead of paid, so that units come back while the crowd goes on; first some shoppers have paid one unit. */
const [CANCELS, PAID_FIRST] = [120, 50];
/** Orders looked after at a time. */
const DESKS = 24;
/** Requests that are sent when nothing will be given back any more. */
const LAST = 5000;
const COMMAND_LINE = 'dist/src/cli/main.js';

/**
 * The load of the fourth seed article: 500 shoppers from a token file, 50,000 requests of which each picks its shopper at random. Every
 * order is paid (or cancelled) along the way, so that shoppers come back for their second unit.
 */
describe('50,000 requests of 500 shoppers at random over a stock of 200', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  it('sells exactly the stock, and nobody more than the limit', async () => {
    const tokens = await tokenFile(shop.services);
    expect(new Set(tokens).size).toBe(SHOPPERS);
    const sale = await shop.sale({ items: [{ stock: STOCK, limitPerUser: LIMIT }] });
    const { pick, next } = random('50,000 requests');
    const crowd = new Crowd(shop.api.base);
    const cashier = new Cashier(crowd, sale, () => next(2) === 0);
    try {
      const picks = Array.from({ length: REQUESTS }, () => pick(tokens));
      const send = (some: string[]): Promise<string[]> =>
        inParallel(some, CONCURRENCY, async (token) => {
          const answer = await crowd.join(token, sale);
          if (answer.status === 202) cashier.expect(token, ticketIdOf(answer.text));
          return answer.status >= 500 ? answer.text : outcomeOf(answer);
        });
      const outcomes = await send(picks.slice(0, -LAST));
      // However slow the machine is: the last of the crowd meet whatever was given back by then.
      await cashier.done();
      cashier.onlyPays = true;
      outcomes.push(...(await send(picks.slice(-LAST))));
      await cashier.done();
      const seen = tally(outcomes);
      expect(Object.keys(seen).filter((outcome) => !EXPECTED.includes(outcome))).toEqual([]);
      expect(seen.queued).toBeGreaterThanOrEqual(STOCK + cashier.cancelled);

      const tickets = await inParallel(tokens, CONCURRENCY, (token) => crowd.get(`/sales/${sale.id}/ticket`, token));
      const joined = new Set(picks.filter((_, index) => outcomes[index] === 'queued'));
      const statuses = tickets.map(outcomeOf);
      expect(statuses.filter((status) => status !== 'NO_TICKET')).toHaveLength(joined.size);
      expect(Object.keys(tally(statuses)).filter((status) => !['paid', 'cancelled', 'sold_out', 'NO_TICKET'].includes(status))).toEqual([]);
    } finally {
      crowd.close();
    }
    const books = await booksOf(shop, sale);
    expect(books).toMatchObject({ heldUnits: STOCK, sold: STOCK, mostUnits: LIMIT, inList: 0, orders: { paid: STOCK, cancelled: cashier.cancelled } });
    expect(books.orders.awaiting_payment).toBeUndefined();
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  }, 240_000);
});

const EXPECTED = ['queued', 'ALREADY_QUEUED', 'UNPAID_ORDER', 'LIMIT_REACHED', 'SOLD_OUT'];

interface Ticket {
  ticketId: string;
  status: string;
  orderId?: string;
}

const ticketIdOf = (text: string): string => (JSON.parse(text) as Ticket).ticketId;

/** Pays or cancels every order, some at a time. */
class Cashier {
  private readonly line: { token: string; ticketId: string }[] = [];
  private readonly desks = new Set<Promise<void>>();
  cancelled = 0;
  paid = 0;
  onlyPays = false;

  constructor(
    private readonly crowd: Crowd,
    private readonly sale: TestSale,
    private readonly wantsToCancel: () => boolean,
  ) {}

  /** Looks after a ticket that was just made. */
  expect(token: string, ticketId: string): void {
    this.line.push({ token, ticketId });
    if (this.desks.size === DESKS) return;
    const desk: Promise<void> = this.work().then(() => void this.desks.delete(desk));
    this.desks.add(desk);
    desk.catch(() => undefined); // `done` throws it.
  }

  /** Waits until all of them are paid, cancelled or otherwise over. @throws the first failure */
  async done(): Promise<void> {
    while (this.desks.size > 0) await Promise.all(this.desks);
  }

  private async work(): Promise<void> {
    for (let next = this.line.shift(); next; next = this.line.shift()) await this.handle(next.token, next.ticketId);
  }

  private async handle(token: string, ticketId: string): Promise<void> {
    const ticket = await this.ticketWhen(token, ({ status }) => status !== 'queued');
    // A shopper whose ticket ended as sold out may have joined again meanwhile; that ticket is looked after by itself.
    if (ticket.status !== 'awaiting_payment' || ticket.ticketId !== ticketId) return;
    const mayCancel = !this.onlyPays && this.cancelled < CANCELS && this.paid >= PAID_FIRST;
    if (mayCancel && this.wantsToCancel()) {
      this.cancelled += 1;
      await this.post(`/orders/${ticket.orderId}/cancel`, token);
    } else {
      await this.post(`/orders/${ticket.orderId}/pay`, token);
      // Once it is paid, the shopper may have the next ticket before this is seen.
      await this.ticketWhen(token, (now) => now.status === 'paid' || now.ticketId !== ticketId);
      this.paid += 1;
    }
  }

  /** Both may be repeated, and are where the service is too busy to answer in time. */
  private async post(path: string, token: string): Promise<void> {
    await until(`an answer to ${path}`, async () => {
      const { status, text } = await this.crowd.post(path, token);
      if (status !== 200 && status !== 503) throw new Error(`${status}: ${text}`);
      return status === 200;
    }, 60_000);
  }

  private ticketWhen(token: string, isSo: (ticket: Ticket) => boolean): Promise<Ticket> {
    let last = '';
    const look = async (): Promise<Ticket | false> => {
      last = (await this.crowd.get(`/sales/${this.sale.id}/ticket`, token)).text;
      const ticket = JSON.parse(last) as Ticket;
      return isSo(ticket) && ticket;
    };
    return until('a ticket to move on', look, 60_000).catch((error: Error) => {
      throw new Error(`${error.message}; last seen: ${last}`);
    });
  }
}

/** Has the operator's command line make the shoppers and reads their tokens from its file. */
async function tokenFile({ databaseUrl, redisUrl }: Services): Promise<string[]> {
  if (!existsSync(COMMAND_LINE)) throw new Error(`${COMMAND_LINE} is missing: npm run build`);
  const folder = await mkdtemp(join(tmpdir(), 'seckill-tokens-'));
  try {
    const file = join(folder, 'tokens.csv');
    const env = { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
    await promisify(execFile)(process.execPath, [COMMAND_LINE, 'shoppers:create', '--count', String(SHOPPERS), '--out', file], { env });
    const [header, ...lines] = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(header).toBe('username,token');
    return lines.map((line) => line.split(',')[1] ?? '');
  } finally {
    await rm(folder, { recursive: true });
  }
}
