import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { expectRefusal } from './refusals.js';

const STEPS = ['publish', 'preload', 'pause', 'resume', 'end'];

describe('the state of a sale', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());

  const step = (sale: TestSale, name: string) => shop.operator.post(`/admin/sales/${sale.id}/${name}`);
  const publicState = async (sale: TestSale): Promise<string> => ok(await shop.api.get(`/sales/${sale.id}`), 200).body.state;
  /** As shoppers and operators see it, who must see the same. */
  const stateOf = async (sale: TestSale): Promise<string> => {
    const state = await publicState(sale);
    expect(ok(await shop.operator.get(`/admin/sales/${sale.id}`), 200).body.state).toBe(state);
    return state;
  };
  const idsIn = async (state: string): Promise<string[]> => ok(await shop.api.get(`/sales?state=${state}`), 200).body.sales.map((sale: { id: string }) => sale.id);

  it('is draft until the sale is published, and nobody but operators knows of a draft', async () => {
    const sale = await shop.sale({ publish: false });
    const shopper = await shop.shopper();
    const unknown = { body: { ...(await shop.api.get('/sales/999999')).body, requestId: '' } };
    const hidden = await expectRefusal(shop, () => shop.api.get(`/sales/${sale.id}`), 404, 'SALE_NOT_FOUND');
    expect({ ...hidden.body, requestId: '' }).toEqual({ ...unknown.body, detail: unknown.body.detail.replace('999999', sale.id) });
    await expectRefusal(shop, () => shop.join(shopper, sale), 404, 'SALE_NOT_FOUND');
    await expectRefusal(shop, () => shopper.get(`/sales/${sale.id}/ticket`), 404, 'SALE_NOT_FOUND');
    await expectRefusal(shop, () => shopper.delete(`/sales/${sale.id}/ticket`), 404, 'SALE_NOT_FOUND');
    expect(ok(await shop.api.get('/sales'), 200).body.sales.map((one: { id: string }) => one.id)).not.toContain(sale.id);
    ok(await step(sale, 'publish'), 200);
    expect(await stateOf(sale)).toBe('live');
    expect(await idsIn('live')).toContain(sale.id);
    ok(await shop.join(shopper, sale), 202);
  });

  it('is scheduled until the window opens, then live', async () => {
    const sale = await shop.sale({ startsInMs: 3_600_000, endsInMs: 7_200_000 });
    expect(await stateOf(sale)).toBe('scheduled');
    expect(await idsIn('scheduled')).toContain(sale.id);
    const startsAt = new Date(Date.now() + 1000).toISOString();
    expect(ok(await shop.operator.patch(`/admin/sales/${sale.id}`, { startsAt }), 200).body.startsAt).toBe(startsAt);
    const shopper = await shop.shopper();
    await until('the sale to open', async () => (await shop.join(shopper, sale)).status === 202);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(startsAt));
    expect(await stateOf(sale)).toBe('live');
    expect(await idsIn('live')).toContain(sale.id);
  });

  it('is ended once the window has passed, and then can not be paused', async () => {
    const sale = await shop.sale({ endsInMs: 2500 });
    await until('the sale to end', async () => (await publicState(sale)) === 'ended');
    await until('the list to show it', async () => (await idsIn('ended')).includes(sale.id));
    const late = await shop.shopper();
    await expectRefusal(shop, () => shop.join(late, sale), 410, 'ENDED');
    await expectRefusal(shop, () => step(sale, 'pause'), 409, 'SALE_STATE_CONFLICT');
    expect(ok(await step(sale, 'end'), 200).body.state).toBe('ended');
  });

  it('follows the operator, for shoppers at once', async () => {
    const sale = await shop.sale();
    const [one, two, three] = [await shop.shopper(), await shop.shopper(), await shop.shopper()];
    expect(ok(await step(sale, 'pause'), 200).body).toMatchObject({ id: sale.id, state: 'paused' });
    expect(await stateOf(sale)).toBe('paused');
    await expectRefusal(shop, () => shop.join(one, sale), 403, 'PAUSED');
    expect(ok(await step(sale, 'resume'), 200).body.state).toBe('live');
    await shop.buy(two, sale);
    expect(ok(await step(sale, 'end'), 200).body.state).toBe('ended');
    await expectRefusal(shop, () => shop.join(three, sale), 410, 'ENDED');
    expect(await stateOf(sale)).toBe('ended');
  });

  it('lets a claim that was made before the pause become an order', async () => {
    const sale = await shop.sale();
    const shopper = await shop.shopper();
    ok(await shop.join(shopper, sale), 202);
    ok(await step(sale, 'pause'), 200);
    const { orderId } = await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    ok(await step(sale, 'end'), 200);
    ok(await shopper.post(`/orders/${orderId}/pay`), 200);
    await shop.ticketWhen(shopper, sale, ['paid']);
  });

  it.each([
    ['draft', [], { publish: 'live', pause: 409, resume: 409, end: 409, preload: 409 }],
    ['live', ['publish'], { publish: 'live', pause: 'paused', resume: 'live', end: 'ended', preload: 'live' }],
    ['paused', ['publish', 'pause'], { publish: 409, pause: 'paused', resume: 'live', end: 'ended', preload: 'paused' }],
    ['ended', ['publish', 'end'], { publish: 409, pause: 409, resume: 409, end: 'ended', preload: 'ended' }],
  ] as [string, string[], Record<string, string | number>][])('from %s changes only as allowed; a repeat is answered like the first time', async (from, way, allowed) => {
    for (const name of STEPS) {
      const sale = await shop.sale({ publish: false });
      for (const past of way) ok(await step(sale, past), 200);
      const outcome = allowed[name];
      if (outcome === 409) {
        const { body } = await expectRefusal(shop, () => step(sale, name), 409, 'SALE_STATE_CONFLICT');
        if (name !== 'preload') expect(body.state).toBe(from);
      } else for (let repeat = 0; repeat < 2; repeat += 1) expect(ok(await step(sale, name), 200).body).toMatchObject({ id: sale.id, state: outcome });
    }
  });

  it('changes once when two operators press at the same time', async () => {
    const sale = await shop.sale();
    const answers = await Promise.all(['pause', 'end', 'pause', 'end'].map((name) => step(sale, name)));
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(await stateOf(sale)).toBe('ended');
    await expectRefusal(shop, async () => step(sale, 'resume'), 409, 'SALE_STATE_CONFLICT');
  });

  it.each(['0', '1e3', '999999', '9'.repeat(30), '..%2f'])('can not be changed of sale %s, which is not there', async (id) => {
    for (const name of STEPS) await expectRefusal(shop, () => shop.operator.post(`/admin/sales/${id}/${name}`), 404, 'SALE_NOT_FOUND');
    for (const view of ['', '/stats', '/proof', '/orders.csv']) await expectRefusal(shop, () => shop.operator.get(`/admin/sales/${id}${view}`), 404, 'SALE_NOT_FOUND');
    await expectRefusal(shop, () => shop.operator.patch(`/admin/sales/${id}`, { title: 'x' }), 404, 'SALE_NOT_FOUND');
    await expectRefusal(shop, () => shop.api.get(`/sales/${id}`), 404, 'SALE_NOT_FOUND');
  });

  it('of a draft whose window has passed does not become published', async () => {
    const sale = await shop.sale({ endsInMs: 150, publish: false });
    await until('the window to pass', async () => (await serverTime()) > (await endOf(sale)));
    await expectRefusal(shop, () => step(sale, 'publish'), 409, 'SALE_STATE_CONFLICT');
  });

  const serverTime = async (): Promise<number> => Date.parse(ok(await shop.operator.get('/admin/sales'), 200).body.sales[0].serverTime);
  const endOf = async (sale: TestSale): Promise<number> => Date.parse(ok(await shop.operator.get(`/admin/sales/${sale.id}`), 200).body.endsAt);
});
