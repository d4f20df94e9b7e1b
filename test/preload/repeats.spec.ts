import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Preloader } from '../../src/goods/index.js';
import { booksOf } from '../harness/books.js';
import { inParallel, tally } from '../harness/parallel.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

describe('a preload', () => {
  let shop: Shop;
  let other: NestFastifyApplication;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
    other = await shop.start(['api']);
  });
  afterAll(() => shop.close());

  const preloaders = (): Preloader[] => [shop.get(Preloader), other.get(Preloader, { strict: false })];

  it('run a hundred times in a row loads the tokens once', async () => {
    const sale = await shop.sale({ items: [{ stock: 30 }, { stock: 7 }] });
    for (let run = 0; run < 100; run += 1) expect((await shop.get(Preloader).preload(sale.id)).outcome).toBe('standing');
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 30 }, { inList: 7 }] });
  });

  it.each([1, 3])('run ten times at once by two processes builds a lost state once (%d shards)', async (shards) => {
    const sale = await shop.sale({ shards, items: [{ stock: 50 }] });
    await shop.buy(await shop.shopper(), sale);
    await shop.wipe(sale);
    await Promise.all(preloaders().flatMap((preloader) => Array.from({ length: 10 }, () => preloader.preload(sale.id))));
    expect(await shop.proof(sale)).toMatchObject({ ok: true, loaded: true, items: [{ inList: 49, held: 1 }] });
  });

  it('run by more callers than there are database connections holds nobody up', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    await shop.wipe(sale);
    const begun = Date.now();
    const times = (count: number, call: string) =>
      inParallel(Array(count).keys(), count, async () => ok(await shop.operator.post(`/admin/sales/${sale.id}/${call}`), 200));
    await times(60, 'preload');
    await times(40, 'publish');
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 5 }] });
  });

  it('in the middle of a live sale touches nothing', async () => {
    const sale = await shop.sale({ items: [{ stock: 150 }] });
    const shoppers = await shop.shoppers(300);
    let selling = true;
    const preloading = (async () => {
      while (selling) for (const preloader of preloaders()) expect((await preloader.preload(sale.id)).outcome).toBe('standing');
    })();
    const answers = await inParallel(shoppers, 40, (shopper) => shop.join(shopper, sale));
    expect(Object.keys(tally(answers.map(({ status }) => status))).sort()).toEqual(['202', '410']);
    await until('all to be sold', async () => (await booksOf(shop, sale)).heldUnits === 150);
    selling = false;
    await preloading;
    expect(await booksOf(shop, sale)).toMatchObject({ heldUnits: 150, users: 150, mostUnits: 1, inList: 0 });
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  });

  it('again and again in the middle of a live sale that Redis keeps losing sells every unit once', async () => {
    const sale = await shop.sale({ items: [{ stock: 120 }] });
    const shoppers = await shop.shoppers(200);
    let selling = true;
    const losing = (async () => {
      for (let loss = 0; loss < 5 && selling; loss += 1) {
        const sold = (await booksOf(shop, sale)).heldUnits;
        await until('some more to be sold', async () => !selling || (await booksOf(shop, sale)).heldUnits > sold);
        await shop.wipe(sale);
        await Promise.all(preloaders().map((preloader) => preloader.preload(sale.id)));
      }
    })();
    // Each comes back until there is an order or nothing left: what a loss wiped may join again.
    await inParallel(shoppers, 40, (shopper) =>
      until('an order or the end', async () => {
        const { body } = await shop.join(shopper, sale);
        return ['UNPAID_ORDER', 'LIMIT_REACHED'].includes(body.code) || (body.code === 'SOLD_OUT' && (await booksOf(shop, sale)).heldUnits === 120);
      }, 40_000),
    );
    selling = false;
    await losing;
    await until('all to be sold', async () => (await booksOf(shop, sale)).heldUnits === 120);
    expect(await booksOf(shop, sale)).toMatchObject({ sold: 120, users: 120, mostUnits: 1 });
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  });
});
