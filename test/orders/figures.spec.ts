import { SaleSamples } from '../../src/order/stats/sale-samples.js';
import type { Api } from '../harness/api.js';
import { inParallel, tally } from '../harness/parallel.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const CROWD = 120;
const LONG_MS = 60_000;
const PLACES = ['free', 'claimed', 'held', 'paid', 'returning', 'withdrawn'];

interface Point {
  at: string;
  joins: number;
  refused: number;
  decided: number;
  ordered: number;
  paid: number;
  waiting: number;
  standby: number;
}

/** What the console shows of a sale that runs. */
describe('the figures of a running sale', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  const path = (sale: TestSale, view: string): string => `/admin/sales/${sale.id}/${view}`;
  const stats = async (sale: TestSale) => ok(await shop.operator.get(path(sale, 'stats')), 200).body;
  const series = async (sale: TestSale, query = ''): Promise<Point[]> => ok(await shop.operator.get(path(sale, `series${query}`)), 200).body.points;
  const unitsOf = (item: Record<string, number>): number => PLACES.reduce((sum, place) => sum + (item[place] ?? NaN), 0);

  /** A third pays, a third cancels, the others do nothing. */
  const visit = async (shopper: Api, sale: TestSale, place: number): Promise<string> => {
    const joined = await shop.join(shopper, sale);
    if (joined.status !== 202) return String(joined.body.code);
    const { status, orderId } = await shop.ticketWhen(shopper, sale, ['awaiting_payment', 'sold_out'], LONG_MS);
    if (status !== 'awaiting_payment') return status;
    if (place % 3 === 0) ok(await shopper.post(`/orders/${orderId}/pay`), 200);
    if (place % 3 === 1) ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    return 'bought';
  };

  it('tell of every unit where it is, while a crowd joins, pays and cancels and an operator adds and withdraws; and of every refusal', async () => {
    const sale = await shop.sale({ items: [{ stock: 60 }, { stock: 5 }] });
    const [itemId] = sale.itemIds;
    const change = (delta: number) => shop.operator.post(path(sale, `items/${itemId}/stock`), { delta });
    const faults: unknown[] = [];
    let looks = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const { items } = await stats(sale);
        looks += 1;
        for (const item of items) {
          const issued = item.stock + item.withdrawn;
          const isWhole = unitsOf(item) === issued && (item.itemId === itemId ? [60, 64].includes(issued) : issued === 5);
          if (!isWhole || item.held + item.paid !== item.sold || PLACES.some((place) => item[place] < 0)) faults.push(item);
        }
      }
    })();
    const withdrawn = ok(await change(-6), 200).body;
    const outcomes = await inParallel(await shop.shoppers(CROWD), 20, async (shopper, place) => {
      if (place === CROWD / 2) ok(await change(4), 200);
      return visit(shopper, sale, place);
    });
    isOver = true;
    await watching;
    expect(withdrawn.stock).toBe(54);
    expect([faults, looks > 5]).toEqual([[], true]);
    const atRest = await until('all to be at rest', async () => {
      const found = await stats(sale);
      const { items } = found;
      return found.waiting + found.claimed === 0 && items[0].claimed + items[0].returning === 0 && found.orders.paid === paidOf(outcomes) && items[0].paid === found.orders.paid && found;
    }, LONG_MS);
    const proof = await shop.proof(sale);
    expect(proof.ok).toBe(true);
    expect(atRest.items).toEqual(proof.items.map((item: Record<string, number>, index: number) => expect.objectContaining({
      itemId: sale.itemIds[index], title: 'Test goods', free: item.inList, claimed: 0, sold: item.held, returning: 0, withdrawn: item.withdrawn,
    })));
    const refused = tally(outcomes.filter((outcome) => outcome === outcome.toUpperCase()));
    await until('the refusals to be counted', async () => sum((await stats(sale)).refusals) === sum(refused));
    expect((await stats(sale)).refusals).toEqual(refused);
    expect(Math.abs(Date.parse(atRest.serverTime) - Date.now())).toBeLessThan(LONG_MS);
  }, 180_000);

  const sum = (counts: Partial<Record<string, number>>): number => Object.values(counts).reduce<number>((total, count = 0) => total + count, 0);
  const paidOf = (outcomes: string[]): number => outcomes.filter((outcome, place) => outcome === 'bought' && place % 3 === 0).length;

  it('say how long winners waited, as the report does but for the rounding', async () => {
    const sale = await shop.sale({ items: [{ stock: 30 }] });
    await inParallel(await shop.shoppers(30), 10, (shopper) => shop.buy(shopper, sale));
    const counted = async (): Promise<number> => Number((await shop.database.query(`SELECT SUM(tickets) AS n FROM sale_counts WHERE sale_id = ? AND kind = 'wait'`, [sale.id]))[0].n);
    await until('all waits to be counted', async () => (await counted()) === 30);
    const { waitMs } = await stats(sale);
    const { waitMs: exact } = ok(await shop.operator.get(path(sale, 'report')), 200).body;
    for (const share of ['p50', 'p99']) {
      expect(waitMs[share]).toBeGreaterThanOrEqual(exact[share]);
      expect(waitMs[share]).toBeLessThanOrEqual(Math.max(exact[share] * 1.1, exact[share] + 1));
    }
  }, 120_000);

  it('grow as a series while the sale is live, and stand still once nothing happens any more', async () => {
    const sale = await shop.sale({ items: [{ stock: 3 }] });
    const shoppers = await shop.shoppers(5);
    const [payer] = shoppers as [Api];
    const { orderId } = await shop.buy(payer, sale);
    ok(await payer.post(`/orders/${orderId}/pay`), 200);
    for (const shopper of shoppers.slice(1, 3)) await shop.buy(shopper, sale);
    // A join is let in for as long as a unit has not been taken for those before.
    for (const shopper of shoppers.slice(3)) ok(await shop.join(shopper, sale), 410);
    const last = await until('all that happened to be sampled', async () => {
      const point = (await series(sale)).at(-1);
      return point?.joins === 3 && point.refused === 2 && point.decided === 3 && point.ordered === 3 && point.paid === 1 && point;
    }, LONG_MS);
    expect(last).toMatchObject({ waiting: 0, standby: 0 });
    const newer = await until('a point after it, although nothing happened', async () => {
      const points = await series(sale, `?since=${last.at}`);
      return points.length > 0 && points;
    }, LONG_MS);
    expect(newer.every(({ at }) => at > last.at)).toBe(true);
    const all = await series(sale);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).sort());
    for (const name of ['joins', 'refused', 'decided', 'ordered', 'paid'] as const) {
      expect(all.map((point) => point[name])).toEqual(all.map((point) => point[name]).sort((a, b) => a - b));
    }
    ok(await shop.operator.post(path(sale, 'end')), 200);
    const atEnd = (await until('a sample after the end', async () => series(sale)))?.length ?? 0;
    const other = await shop.sale();
    await until('other sales to be sampled twice more', async () => (await series(other)).length > 2, LONG_MS);
    expect((await series(sale)).length).toBeLessThanOrEqual(atEnd + 1);
  }, 180_000);

  it('are kept as a series of the newest 900 points, until the retention of the sale is over', async () => {
    const [long, past] = [await shop.sale({ publish: false }), await shop.sale({ publish: false })];
    const samples = shop.get(SaleSamples);
    const none = { joins: 0, refused: 0, decided: 0, ordered: 0, paid: 0, waiting: 0, standby: 0 };
    const fromMs = Date.now() - 3_600_000;
    for (let place = 0; place < 910; place += 1) await samples.add(long.id, new Date(fromMs + place * 2000), { ...none, joins: place });
    await samples.add(past.id, new Date(fromMs), none);
    await shop.database.query('UPDATE sales SET starts_at = ?, ends_at = ? WHERE id = ?', [new Date(fromMs), new Date(fromMs + 1000), past.id]);
    expect((await series(long)).map(({ joins }) => joins)).toEqual(Array.from({ length: 900 }, (_, place) => place + 10));
    await samples.prune(new Date(fromMs + 1000));
    expect(await series(past)).toHaveLength(1);
    await samples.prune(new Date(fromMs + 1001));
    expect(await series(past)).toEqual([]);
    const [{ points }] = await shop.database.query('SELECT COUNT(*) AS points FROM sale_samples WHERE sale_id = ?', [long.id]);
    expect(Number(points)).toBe(900);
  }, 120_000);

  it('refuse what is no moment, and a sale that is not there', async () => {
    const sale = await shop.sale({ publish: false });
    expect(await series(sale)).toEqual([]);
    expect((await shop.operator.get(path(sale, 'series?since=yesterday'))).body.code).toBe('VALIDATION_FAILED');
    expect((await shop.operator.get(path(sale, 'series?until=2026-01-01T00:00:00Z'))).body.code).toBe('VALIDATION_FAILED');
    expect((await shop.operator.get('/admin/sales/999999/series')).body.code).toBe('SALE_NOT_FOUND');
  });
});
