import { RehearsalRunner } from '../../src/rehearsal/index.js';
import { expectProblem } from '../contract/refusals.js';
import { Receiver } from '../harness/receiver.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { traces } from './traces.js';

type Answered = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- a rehearsal, as it was answered

/** Crowd and service share one process here, and a machine that may have much else to do. */
const PATIENCE_MS = 180_000;
const TIMEOUT_MS = PATIENCE_MS + 60_000;

describe('a rehearsal', () => {
  let shop: Shop;
  let receiver: Receiver;
  beforeAll(async () => {
    shop = await Shop.open({ WEBHOOK_ALLOW_PRIVATE: '1' });
    shop.bePatient();
    receiver = await Receiver.open();
    receiver.secret = ok(await shop.operator.post('/admin/webhooks', { url: receiver.url }), 201).body.secret;
  });
  afterAll(async () => {
    await shop.close();
    await receiver.close();
  });

  const start = async (shoppers: number, stock: number): Promise<Answered> => ok(await shop.operator.post('/admin/rehearsals', { shoppers, stock }), 202).body;
  const show = async (id: string): Promise<Answered> => ok(await shop.operator.get(`/admin/rehearsals/${id}`), 200).body;
  const over = (id: string): Promise<Answered> =>
    until('the rehearsal to be over', async () => {
      const rehearsal = await show(id);
      return rehearsal.state !== 'running' && rehearsal;
    }, PATIENCE_MS);
  /** The shadow sale while it is there. */
  const shadowOf = (id: string): Promise<{ saleId: string; itemId: string }> =>
    until('the shadow sale', async () => {
      const [row] = await shop.database.query('SELECT s.id AS saleId, i.id AS itemId FROM sales s JOIN sale_items i ON i.sale_id = s.id WHERE s.rehearsal_id = ?', [id]);
      return row as { saleId: string; itemId: string } | undefined;
    });

  it('passes with the proof and percentiles, and leaves nothing behind', async () => {
    const sale = await shop.sale({ items: [{ stock: 3 }] });
    await shop.buy(await shop.shopper(), sale);
    await until('the counts of that sale', async () => (await shop.database.query('SELECT 1 FROM sale_counts')).length >= 2);
    await until('its events to be out', () => receiver.taken.length === 2);
    const before = await traces(shop);

    const begun = await start(300, 60);
    expect(begun).toMatchObject({ state: 'running', shoppers: 300, stock: 60 });
    const rehearsal = await over(begun.id);

    expect(rehearsal).toMatchObject({ state: 'passed', phase: 'done', joined: 300, decided: 300, paid: 54 });
    expect(rehearsal.reason).toBeUndefined();
    expect(rehearsal.report).toMatchObject({ proofOk: true, oddTokens: 0, joins: 300, sold: 60, soldOut: 240, paid: 54, cancelled: 6 });
    const { seconds, joinsPerSecond, ordersPerSecond, joinMs, decidedMs } = rehearsal.report;
    for (const figure of [seconds, joinsPerSecond, ordersPerSecond, joinMs.p50, decidedMs.p50]) expect(figure).toBeGreaterThan(0);
    expect(joinMs.p99).toBeGreaterThanOrEqual(joinMs.p50);
    expect(decidedMs.p99).toBeGreaterThanOrEqual(joinMs.p50);
    expect(await traces(shop)).toEqual(before);
    expect(receiver.taken).toHaveLength(2);
  }, TIMEOUT_MS);

  it('sells all there is to fewer shoppers than units', async () => {
    const rehearsal = await over((await start(20, 50)).id);
    expect(rehearsal).toMatchObject({ state: 'passed', report: { sold: 20, soldOut: 0 } });
  }, TIMEOUT_MS);

  it('is seen by nobody else: not listed, not joined, not sent out', async () => {
    const begun = await start(1000, 500);
    const { saleId, itemId } = await shadowOf(begun.id);
    const [stranger, other] = [await shop.shopper(), await shop.shopper()];
    const basket = { items: [{ itemId, quantity: 1 }] };
    expectProblem(await shop.api.get(`/sales/${saleId}`), 404, 'SALE_NOT_FOUND');
    expectProblem(await stranger.post(`/sales/${saleId}/tickets`, basket), 404, 'SALE_NOT_FOUND');
    // Through the controller, too: a basket with a blank is none that the hot route takes.
    expectProblem(await other.post(`/sales/${saleId}/tickets?`, basket), 404, 'SALE_NOT_FOUND');
    await until('an order', async () => (await shop.database.query('SELECT 1 FROM orders WHERE sale_id = ? LIMIT 1', [saleId])).length > 0);
    const listed = async (path: string): Promise<string> => JSON.stringify(ok(await shop.operator.get(path), 200).body);
    for (const path of ['/sales', '/sales?state=live', '/admin/sales', '/admin/sales?state=live', '/admin/goods']) expect(await listed(path)).not.toContain('Rehearsal');
    expect(await listed('/admin/orders')).not.toContain(`"saleId":"${saleId}"`);
    expect(ok(await shop.operator.get(`/admin/sales/${saleId}`), 200).body.title).toBe('Rehearsal');

    expect(await over(begun.id)).toMatchObject({ state: 'passed' });
    expect(receiver.tries.filter(({ body }) => body.includes(`"saleId":"${saleId}"`) || body.includes('Rehearsal'))).toEqual([]);
    expect(await shop.database.query('SELECT type FROM sale_events WHERE sale_id = ?', [saleId])).toEqual([]);
    expectProblem(await stranger.post(`/sales/${saleId}/tickets`, basket), 404, 'SALE_NOT_FOUND');
  }, TIMEOUT_MS);

  it('fails for the reason that it was stopped for, and is cleaned up', async () => {
    const before = await traces(shop);
    const { progress, ended, stop } = await shop.get(RehearsalRunner).start({ shoppers: 2000, stock: 2000 });
    await until('some to have joined', () => progress.joined > 10, PATIENCE_MS);
    stop('somebody thought better of it');
    expect(await ended).toEqual({ state: 'failed', reason: 'somebody thought better of it' });
    expect(await traces(shop)).toEqual(before);
  }, TIMEOUT_MS);

  it('runs once at a time, whatever process it is in', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => shop.operator.post('/admin/rehearsals', { shoppers: 50, stock: 5 })));
    const [accepted, refused] = first?.status === 202 ? [first, second] : [second, first];
    if (!accepted || !refused) throw new Error('no answers');
    expectProblem(refused, 409, 'REHEARSAL_RUNNING');
    await over(ok(accepted, 202).body.id);
    await over((await start(1, 1)).id);
  }, TIMEOUT_MS);

  it.each([
    {}, { shoppers: 1 }, { shoppers: 0, stock: 1 }, { shoppers: 1, stock: 0 }, { shoppers: 20_001, stock: 1 }, { shoppers: 1, stock: 20_001 },
    { shoppers: 1.5, stock: 1 }, { shoppers: '1', stock: 1 }, { shoppers: 1, stock: null }, { shoppers: 1, stock: 1, mode: 'instant' },
  ])('does not begin with %j', async (plan) => {
    expectProblem(await shop.operator.post('/admin/rehearsals', plan), 400, 'VALIDATION_FAILED');
  });

  it('is for operators, and lists the newest first', async () => {
    const shopper = await shop.shopper();
    expectProblem(await shopper.post('/admin/rehearsals', { shoppers: 1, stock: 1 }), 403, 'FORBIDDEN');
    expectProblem(await shop.api.get('/admin/rehearsals'), 401, 'UNAUTHENTICATED');
    for (const id of ['1', '01a23393-e3f3-748c-8bd9-8cc5cc0385c0']) expectProblem(await shop.operator.get(`/admin/rehearsals/${id}`), 404, 'REHEARSAL_NOT_FOUND');
    const last = await over((await start(1, 1)).id);
    const { rehearsals } = ok(await shop.operator.get('/admin/rehearsals'), 200).body;
    expect(rehearsals[0]).toEqual(last);
    const starts: string[] = rehearsals.map((one: Answered) => one.startedAt);
    expect(starts).toEqual([...starts].sort().reverse());
  }, TIMEOUT_MS);
});
