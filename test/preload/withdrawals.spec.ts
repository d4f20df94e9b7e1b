import { inParallel } from '../harness/parallel.js';
import { random } from '../harness/random.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';

const ROUNDS = Number(process.env.RACE_ROUNDS ?? 60);
const HOUR_MS = 3_600_000;

/** Units go out of a sale that is not loaded, and stay out when it is. */
describe('a sale that is published and not loaded yet', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  const farOff = (stock: number, shards = 1): Promise<TestSale> => shop.sale({ items: [{ stock }], shards, startsInMs: HOUR_MS, endsInMs: 2 * HOUR_MS });
  const change = (sale: TestSale, delta: number) => shop.operator.post(`/admin/sales/${sale.id}/items/${sale.itemIds[0]}/stock`, { delta });
  const preload = (sale: TestSale) => shop.operator.post(`/admin/sales/${sale.id}/preload`);

  it('gives units out of its sale, down to none, and is loaded without them', async () => {
    const sale = await farOff(9, 2);
    expect(ok(await change(sale, -4), 200).body).toEqual({ itemId: sale.itemIds[0], stock: 5, sold: 0 });
    expect(await shop.proof(sale)).toMatchObject({ ok: true, loaded: false, items: [{ stock: 9, withdrawn: 4, inList: 0 }] });
    const short = await change(sale, -6);
    expect([short.status, short.body.code]).toEqual([409, 'STOCK_HELD']);
    ok(await preload(sale), 200);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, loaded: true, items: [{ stock: 9, withdrawn: 4, inList: 5 }] });
    ok(await change(sale, -5), 200);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ withdrawn: 9, inList: 0 }] });
  });

  it('gives out units again that were added before it was loaded', async () => {
    const sale = await farOff(2);
    ok(await change(sale, 3), 200);
    expect(ok(await change(sale, -4), 200).body.stock).toBe(1);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: 5, withdrawn: 4, returning: 0 }] });
    ok(await change(sale, 2), 200);
    ok(await preload(sale), 200);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: 7, withdrawn: 4, inList: 3, returning: 0 }] });
  });

  it('takes nothing for granted that a build which broke off has left on some shards', async () => {
    const sale = await farOff(6, 2);
    ok(await preload(sale), 200);
    const left = await shop.redis.keys(`seckill:{${sale.id}:1}:*`);
    await shop.redis.del(...left);
    ok(await change(sale, -4), 200);
    ok(await preload(sale), 200);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, loaded: true, items: [{ stock: 6, withdrawn: 4, inList: 2 }] });
  });

  it(`loses and doubles no unit when it is loaded in that moment, ${ROUNDS} times`, async () => {
    const dice = random('withdrawals and preloads');
    const rounds = Array.from({ length: ROUNDS }, () => ({ shards: 1 + dice.next(3), deltas: Array.from({ length: 4 }, () => dice.next(5) - 3), preloadAt: dice.next(5), again: dice.next(2) === 1 }));
    await inParallel(rounds, 6, async ({ shards, deltas, preloadAt, again }) => {
      const sale = await farOff(8, shards);
      const calls = deltas.filter((delta) => delta !== 0).map((delta) => () => change(sale, delta));
      calls.splice(preloadAt, 0, () => preload(sale));
      if (again) calls.push(() => preload(sale));
      const answers = await Promise.all(calls.map((call) => call()));
      for (const answer of answers) expect([200, 409]).toContain(answer.status);
      ok(await preload(sale), 200);
      const proof = await shop.proof(sale);
      const [{ issued, stock }] = await shop.database.query('SELECT issued, stock FROM sale_items WHERE id = ?', [sale.itemIds[0]]);
      expect(proof).toMatchObject({ ok: true, loaded: true, items: [{ stock: issued, inList: stock, withdrawn: issued - stock, returning: 0 }] });
    });
  }, 240_000);
});
