import type { Api } from '../harness/api.js';
import { booksOf } from '../harness/books.js';
import { inParallel, tally } from '../harness/parallel.js';
import { Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const [SHOPPERS, STOCK] = [600, 400];
const SLOW_MACHINE_MS = 180_000;

describe('a restart of the whole service in the middle of a sale', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  it.each(['queue', 'instant'] as const)('loses nothing and sells every unit, in mode %s', async (mode) => {
    const sale = await shop.sale({ mode, items: [{ stock: STOCK }] });
    const tokens = (await shop.tokens(SHOPPERS)).map(({ token }) => token);
    let answered = 0;
    const joining = inParallel(tokens, 60, async (token) => {
      const joined = await joinAtLast(shop, token, sale);
      answered += 1;
      return joined;
    });
    for (const moment of [100, 250]) {
      await until(`${moment} answers`, () => answered >= moment);
      await shop.restart();
    }
    const outcomes = await joining;
    expect(outcomes).not.toContain('INTERNAL');

    const tickets = await inParallel(tokens, 60, (token) => decided(shop.api.as(token), sale));
    const statuses = tally(tickets);
    const { sold_out: soldOut = 0, NO_TICKET: noTicket = 0, ...others } = statuses;
    expect({ ...others, soldOut: soldOut + noTicket }).toEqual({ awaiting_payment: STOCK, soldOut: SHOPPERS - STOCK });
    // Without a ticket is only who was told at the door that all is sold.
    expect(tickets.filter((status, index) => status === 'NO_TICKET' && outcomes[index] !== 'SOLD_OUT')).toEqual([]);
    expect(await booksOf(shop, sale)).toMatchObject({ heldUnits: STOCK, sold: STOCK, users: STOCK, inList: 0 });
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  }, SLOW_MACHINE_MS);
});

/** Joins, again and again while the service is away, and answers the outcome. */
function joinAtLast(shop: Shop, token: string, sale: TestSale): Promise<string> {
  return until('an answer to a join', async () => {
    // Where an answer got lost with its connection, the next one says that the shopper is queued already.
    const answer = await shop.join(shop.api.as(token), sale).catch(() => null);
    return answer !== null && answer.status !== 503 && String(answer.body.code ?? answer.body.status);
  }, SLOW_MACHINE_MS);
}

function decided(shopper: Api, sale: TestSale): Promise<string> {
  return until('a decided ticket', async () => {
    const { status, body } = await shopper.get(`/sales/${sale.id}/ticket`);
    const word = String(body.code ?? body.status);
    return status !== 503 && word !== 'queued' && word !== 'reserved' && word;
  });
}
