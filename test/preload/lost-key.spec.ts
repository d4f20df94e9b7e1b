import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { claimAndDie, ordersPerTicket, shardOf } from '../harness/claims.js';
import type { Api } from '../harness/api.js';
import { inParallel, tally } from '../harness/parallel.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { saleKeys, SaleScripts, type SaleShard } from '../../src/goods/index.js';

const KEYS: [name: string, key: (shard: SaleShard) => string][] = [
  ['sale', saleKeys.sale],
  ['goods', saleKeys.goods],
  ['queue', saleKeys.queue],
  ['count', saleKeys.count],
  ['claimed', saleKeys.claimed],
  ['working', saleKeys.working],
  ['units', saleKeys.units],
  ['status', saleKeys.status],
];

/** A hand that deletes, or an eviction where there should be none, takes one key out of a shard in the middle of a sale. */
describe('a shard that lost one of its keys', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api', 'scheduler']);
    shop.bePatient();
  });
  afterEach(() => stopWorkers());
  afterAll(() => shop.close());

  const workers: NestFastifyApplication[] = [];
  const startWorker = async (): Promise<void> => void workers.push(await shop.start(['worker']));
  const stopWorkers = async (): Promise<void> => {
    for (const worker of workers.splice(0)) await shop.stop(worker);
  };

  const everyone = (shoppers: Api[], sale: TestSale, statuses: string[]): Promise<unknown> =>
    inParallel(shoppers, 20, (shopper) => shop.ticketWhen(shopper, sale, statuses, 30_000));

  /** Four have an order, three are claimed by a worker that died, and five wait; in mode `instant` the last eight hold tokens. */
  async function midSale(mode: 'queue' | 'instant'): Promise<{ sale: TestSale; shoppers: Api[] }> {
    const sale = await shop.sale({ mode, items: [{ stock: 20 }] });
    const shoppers = await shop.shoppers(12);
    await startWorker();
    for (const shopper of shoppers.slice(0, 4)) ok(await shop.join(shopper, sale), 202);
    await everyone(shoppers.slice(0, 4), sale, ['awaiting_payment']);
    await stopWorkers();
    for (const shopper of shoppers.slice(4)) ok(await shop.join(shopper, sale), 202);
    await claimAndDie(shop, sale, 3);
    return { sale, shoppers };
  }

  describe.each(['queue', 'instant'] as const)('in mode %s', (mode) => {
    it.each(KEYS)('%s: nobody is locked out, nobody gets two, and every unit is where it belongs', async (name, key) => {
      const { sale, shoppers } = await midSale(mode);
      await shop.redis.del(key(shardOf(sale)));
      await startWorker();
      if (name === 'status') {
        await until('the loss to be noticed', async () => shoppers[11] && (await shop.join(shoppers[11], sale)).status === 202);
        await inParallel(shoppers.slice(4, 11), 7, async (shopper) => ok(await shop.join(shopper, sale), 202));
      }
      await everyone(shoppers, sale, ['awaiting_payment']);
      await inParallel(shoppers, 12, (shopper) => until('one live ticket', async () => (await shop.join(shopper, sale)).body.code === 'UNPAID_ORDER', 15_000));
      expect(await ordersPerTicket(shop, sale)).toEqual(Array(12).fill(1));
      await until('the proof to hold', async () => (await shop.proof(sale)).ok, 30_000);
      expect((await shop.proof(sale)).items[0]).toMatchObject({ inList: 8, held: 12, claimed: 0, odd: [] });
    });
  });

  describe('while a crowd joins and is decided', () => {
    it.each(['queue', 'claimed', 'working', 'count', 'status'] as const)('%s, five times: every ticket ends or can be paid, nobody gets two', async (name) => {
      const sale = await shop.sale({ items: [{ stock: 150 }] });
      await startWorker();
      const shoppers = await shop.shoppers(200);
      const losing = (async () => {
        for (let i = 0; i < 5; i += 1) {
          await delay(100);
          await shop.redis.del(saleKeys[name](shardOf(sale)));
        }
      })();
      const arrive = (shopper: Api): Promise<unknown> => until('an answer', async () => [202, 409, 410].includes((await shop.join(shopper, sale)).status), 30_000);
      await inParallel(shoppers, 20, arrive);
      await losing;
      const look = async (shopper: Api): Promise<string> => {
        const { body } = await shopper.get(`/sales/${sale.id}/ticket`);
        // Whose ticket was lost joins again.
        return body.code === 'NO_TICKET' ? (await shop.join(shopper, sale)).body.code : body.status;
      };
      const lookAll = async (): Promise<Partial<Record<string, number>>> => tally(await inParallel(shoppers, 20, look));
      await until('all units to be sold, and every ticket to end', async () => {
        const { awaiting_payment: orders = 0, sold_out: late = 0, SOLD_OUT: refused = 0 } = await lookAll();
        return orders === 150 && late + refused === 50;
      }, 40_000);
      expect(await ordersPerTicket(shop, sale)).toEqual(Array(150).fill(1));
      expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 0, held: 150 }] });
    });
  });

  it('orders: shoppers whose tickets were lost see them again, also when others have joined since', async () => {
    const sale = await shop.sale({ items: [{ stock: 60 }] });
    await startWorker();
    const shoppers = await shop.shoppers(40);
    for (const shopper of shoppers.slice(0, 20)) ok(await shop.join(shopper, sale), 202);
    await everyone(shoppers.slice(0, 20), sale, ['awaiting_payment']);
    await shop.redis.del(saleKeys.status(shardOf(sale)));
    await inParallel(shoppers.slice(20), 20, (shopper) => shop.join(shopper, sale));
    await everyone(shoppers.slice(0, 20), sale, ['awaiting_payment']);
    expect(await shop.redis.pttl(saleKeys.status(shardOf(sale)))).toBeGreaterThan(0);
  });

  it('stock of many units: built anew at once instead of token by token', async () => {
    const sale = await shop.sale({ items: [{ stock: 20_000 }] });
    await shop.redis.del(saleKeys.stock(shardOf(sale), sale.itemIds[0] ?? ''));
    await until('the tokens to be back', async () => (await shop.redis.llen(saleKeys.stock(shardOf(sale), sale.itemIds[0] ?? ''))) === 20_000, 40_000);
    expect((await shop.proof(sale)).ok).toBe(true);
  });

  it('stock: who was told sold out meanwhile can join again when the repair has brought the tokens back', async () => {
    const { sale, shoppers } = await midSale('queue');
    await shop.redis.del(saleKeys.stock(shardOf(sale), sale.itemIds[0] ?? ''));
    await startWorker();
    await everyone(shoppers.slice(7), sale, ['sold_out']);
    // They come back one by one, so that the first to try may still find too few.
    const tryAgain = async (shopper: Api): Promise<boolean> => {
      const { body } = await shopper.get(`/sales/${sale.id}/ticket`);
      if (body.status === 'sold_out') await shop.join(shopper, sale);
      return body.status === 'awaiting_payment';
    };
    await inParallel(shoppers.slice(7), 5, (shopper) => until('the units to be had', () => tryAgain(shopper), 60_000));
    await everyone(shoppers, sale, ['awaiting_payment']);
    await until('all tokens to be back', async () => (await shop.proof(sale)).ok, 30_000);
    expect((await shop.proof(sale)).items[0]).toMatchObject({ inList: 8, held: 12, odd: [] });
  });

  it('a build that slept through another one leaves the newer state alone', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    const epoch = await shop.get(SaleScripts).epochOf(shardOf(sale));
    expect(await shop.get(SaleScripts).freeze(shardOf(sale), String(Number(epoch) - 1))).toEqual({ outcome: 'newer' });
    expect(await shop.get(SaleScripts).epochOf(shardOf(sale))).toBe(epoch);
  });
});
