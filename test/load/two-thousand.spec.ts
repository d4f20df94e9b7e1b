import { booksOf } from '../harness/books.js';
import { Crowd, outcomeOf } from '../harness/crowd.js';
import { inParallel, tally } from '../harness/parallel.js';
import { Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const [SHOPPERS, CONCURRENCY, STOCK] = [2000, 200, 500];

/** The load of the second seed article: 2,000 requests, 200 at a time, over a stock of 500. */
describe('2,000 shoppers at concurrency 200 over a stock of 500', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  it.each(['queue', 'instant'] as const)('sells exactly the stock and leaves nothing over in mode %s', async (mode) => {
    const sale = await shop.sale({ mode, items: [{ stock: STOCK }] });
    const tokens = (await shop.tokens(SHOPPERS)).map(({ token }) => token);
    const crowd = new Crowd(shop.api.base);
    try {
      const answers = await inParallel(tokens, CONCURRENCY, (token) => crowd.join(token, sale));
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const outcomes = answers.map(outcomeOf);
      const joined = tokens.filter((_, index) => outcomes[index] === (mode === 'queue' ? 'queued' : 'reserved'));
      const refused = outcomes.filter((outcome) => outcome === 'SOLD_OUT').length;
      expect(joined.length + refused).toBe(SHOPPERS);

      const tickets = tally(await decided(crowd, sale, joined));
      expect(tickets.awaiting_payment).toBe(STOCK);
      expect((tickets.sold_out ?? 0) + refused).toBe(SHOPPERS - STOCK);
    } finally {
      crowd.close();
    }
    expect(await booksOf(shop, sale)).toEqual({ heldUnits: STOCK, sold: STOCK, orders: { awaiting_payment: STOCK }, users: STOCK, mostUnits: 1, inList: 0 });
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: STOCK, held: STOCK, inList: 0, claimed: 0, returning: 0 }] });
  });
});

/** The statuses of these shoppers' tickets, once none of them waits any more. */
function decided(crowd: Crowd, sale: TestSale, tokens: string[]): Promise<string[]> {
  return until('every ticket to be decided', async () => {
    const statuses = (await inParallel(tokens, 50, (token) => crowd.get(`/sales/${sale.id}/ticket`, token))).map(outcomeOf);
    return !statuses.some((status) => status === 'queued' || status === 'reserved') && statuses;
  });
}
