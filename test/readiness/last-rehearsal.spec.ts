import { Logger } from '@nestjs/common';
import { Rehearsals, type Held, type RehearsalEnd } from '../../src/rehearsal/rehearsals.js';
import { Shop, type TestSale } from '../harness/shop.js';
import { findingOf, readinessOf } from './findings.js';

Logger.overrideLogger(false);

const PASSED: RehearsalEnd = {
  state: 'passed',
  report: {
    proofOk: true, oddTokens: 0, seconds: 1, joins: 3, joinsPerSecond: 3, ordersPerSecond: 2,
    joinMs: { p50: 1, p99: 2 }, decidedMs: { p50: 3, p99: 4 }, sold: 2, soldOut: 1, paid: 2, cancelled: 0,
  },
};
const FAILED: RehearsalEnd = { state: 'failed', reason: 'two units were sold twice' };
const DAY_SECONDS = 86_400;

describe('the check of the last rehearsal', () => {
  let shop: Shop;
  let sale: TestSale;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    sale = await shop.sale();
  });
  beforeEach(() => shop.database.query('DELETE FROM rehearsals'));
  afterAll(() => shop.close());

  const look = () => findingOf(shop, sale, 'last_rehearsal');
  const begin = (): Promise<Held> => shop.get(Rehearsals).begin({ shoppers: 3, stock: 2 });
  const rehearsed = async (end: RehearsalEnd): Promise<Held> => {
    const held = await begin();
    await shop.get(Rehearsals).finish(held, { phase: 'cleaning', joined: 3, decided: 3, paid: 2 }, end);
    return held;
  };
  const age = ({ id }: Held, seconds: number): Promise<unknown> =>
    shop.database.query('UPDATE rehearsals SET started_at = started_at - INTERVAL ? SECOND, finished_at = finished_at - INTERVAL ? SECOND WHERE id = ?', [seconds, seconds, id]);

  it('warns while there was none, and while the first is still running', async () => {
    expect(await look()).toEqual({ status: 'warning', message: 'No rehearsal has come to its end yet.', figures: {} });
    await begin();
    expect(await look()).toMatchObject({ status: 'warning', figures: {} });
  });

  it('passes after one that passed, and says which', async () => {
    const { id } = await rehearsed(PASSED);
    expect(await look()).toEqual({ status: 'ok', message: 'The last rehearsal has passed.', figures: { id, shoppers: 3, stock: 2, finishedAt: expect.stringMatching(/^\d{4}-.*Z$/) } });
  });

  it('warns after one that failed, and says why', async () => {
    await rehearsed(PASSED);
    const { id } = await rehearsed(FAILED);
    expect(await look()).toMatchObject({ status: 'warning', message: 'The last rehearsal has failed: two units were sold twice', figures: { id } });
    // It is a warning only, so that it does not count against the sale.
    const { findings } = await readinessOf(shop, sale);
    expect(Object.values(findings).filter(({ status }) => status === 'failed').map(({ message }) => message)).toEqual([expect.stringContaining('worker'), expect.stringContaining('scheduler')]);
  });

  it('goes by the newest that is over', async () => {
    await rehearsed(FAILED);
    const { id } = await rehearsed(PASSED);
    await begin();
    expect(await look()).toMatchObject({ status: 'ok', figures: { id } });
  });

  it.each([
    [7 * DAY_SECONDS - 60, 'ok', 'has passed'], [7 * DAY_SECONDS + 60, 'warning', 'more than 7 days old'],
  ])('of one that passed %i s ago says: %s', async (seconds, status, words) => {
    await age(await rehearsed(PASSED), seconds);
    expect(await look()).toMatchObject({ status, message: expect.stringContaining(words) });
  });
});
