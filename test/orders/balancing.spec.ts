import { shardOf } from '../../src/goods/index.js';
import { StockScripts } from '../../src/seckill/index.js';
import { TokenBalancing } from '../../src/order/token-balancing.js';
import { TokenTaking } from '../../src/order/token-taking.js';
import type { Api } from '../harness/api.js';
import { inParallel } from '../harness/parallel.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

/** Units of a sale with several shards move to where they are wanted. */
describe('a sale of two shards', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  /** Shoppers who land on the shard. */
  const shoppersOn = async (shard: number, count: number): Promise<Api[]> => {
    const found: Api[] = [];
    while (found.length < count) {
      const shopper = await shop.shopper();
      const { id } = ok(await shopper.get('/auth/me'), 200).body;
      if (shardOf(id, 2) === shard) found.push(shopper);
    }
    return found;
  };
  const soldUnits = async (sale: TestSale): Promise<number> => ok(await shop.operator.get(`/admin/sales/${sale.id}/stats`), 200).body.items[0].sold;

  it('sells everything to a crowd that all lands on one of them', async () => {
    const sale = await shop.sale({ items: [{ stock: 20 }], shards: 2 });
    await inParallel(await shoppersOn(1, 18), 18, async (shopper) => {
      // Who is told that it is sold out tries again.
      await until('an order', async () => {
        await shop.join(shopper, sale);
        return (await shopper.get(`/sales/${sale.id}/ticket`)).body.status === 'awaiting_payment';
      }, 30_000);
    });
    expect(await soldUnits(sale)).toBe(18);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 18 }] });
  }, 120_000);

  it('brings a unit that comes back on one to who stands by on the other', async () => {
    const sale = await shop.sale({ items: [{ stock: 2 }], shards: 2, standbyLimit: 10 });
    const [here, waiting] = (await shoppersOn(0, 2)) as [Api, Api];
    const [there] = (await shoppersOn(1, 1)) as [Api];
    await shop.buy(here, sale);
    const { orderId } = await shop.buy(there, sale);
    ok(await shop.join(waiting, sale), 202);
    await shop.ticketWhen(waiting, sale, ['standby']);
    ok(await there.post(`/orders/${orderId}/cancel`), 200);
    await shop.ticketWhen(waiting, sale, ['awaiting_payment'], 30_000);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 0, held: 2 }] });
  }, 60_000);

  it.each([
    ['before MySQL knew', 0],
    ['after MySQL knew', 1],
  ])('loses and doubles nothing when a move breaks off %s', async (_when, isCommitted) => {
    const sale = await shop.sale({ items: [{ stock: 10 }], shards: 2, startsInMs: 600_000, endsInMs: 3_600_000 });
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    const [itemId = ''] = sale.itemIds;
    const [from, to] = [{ saleId: sale.id, shard: 0 }, { saleId: sale.id, shard: 1 }];
    const stock = shop.get(StockScripts);
    const balancing = shop.get(TokenBalancing);
    if (isCommitted) {
      const conclude = stock.conclude.bind(stock);
      stock.conclude = () => Promise.reject(new Error('died'));
      await expect(balancing['carryOut']({ from, to, units: 3 }, itemId)).rejects.toThrow('died');
      stock.conclude = conclude;
    } else {
      const [{ epoch }] = await shop.database.query('SELECT epoch FROM sales WHERE id = ?', [sale.id]);
      await stock.withdraw(from, String(epoch), { id: `${Date.now()}-01a23393-e40c-70b7-9e66-91e34447da38`, itemId, quantity: 3, toShard: 1 });
    }
    await until('the move to be resolved', async () => {
      await shop.get(TokenTaking).resolveLeftovers(from);
      return (await stock.withdrawalIds(from)).length === 0;
    }, 30_000);
    await until('every unit to be on a list', async () => (await shop.proof(sale)).items[0].inList === 10, 30_000);
    expect([await stock.free(from, itemId), await stock.free(to, itemId)]).toEqual(isCommitted ? [2, 8] : [5, 5]);
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  }, 60_000);
});
