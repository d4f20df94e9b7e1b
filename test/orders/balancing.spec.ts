import { saleKeys, shardOf } from '../../src/goods/index.js';
import { RedisConnections } from '../../src/infra/redis/index.js';
import { StockScripts } from '../../src/seckill/index.js';
import { TokenBalancing } from '../../src/order/token-balancing.js';
import { TokenTaking } from '../../src/order/token-taking.js';
import type { Api } from '../harness/api.js';
import { inParallel } from '../harness/parallel.js';
import { random } from '../harness/random.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const SHOPPERS = 40;
const UNITS = 12;
const ROUNDS = 4;

/** So many units of each item of the sale. */
const basketOf = ({ itemIds }: TestSale, quantities: number[]): { itemId: string; quantity: number }[] =>
  itemIds.map((itemId, item) => ({ itemId, quantity: quantities[item] ?? 0 })).filter(({ quantity }) => quantity > 0);

/** Units of a sale with several shards move to where they are wanted. */
describe('a sale of several shards', () => {
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
  const standBy = async (shopper: Api, sale: TestSale, quantities: number[]): Promise<void> => {
    ok(await shop.join(shopper, sale, basketOf(sale, quantities)), 202);
    await shop.ticketWhen(shopper, sale, ['standby']);
  };
  const cancel = async (shopper: Api, { orderId }: { orderId: string }): Promise<void> => void ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
  /** Whoever is told that it is sold out tries again, at a shopper's pace; answers the ticket. */
  const askUntilSold = (shopper: Api, sale: TestSale): Promise<{ orderId: string }> =>
    until('an order', async () => {
      await shop.join(shopper, sale);
      const { body } = await shopper.get(`/sales/${sale.id}/ticket`);
      return body.status === 'awaiting_payment' && body;
    }, 60_000);
  const soldUnits = async (sale: TestSale): Promise<number> => ok(await shop.operator.get(`/admin/sales/${sale.id}/stats`), 200).body.items[0].sold;

  it('has its units brought to who stands by also while it is paused, and its line is served', async () => {
    const sale = await shop.sale({ items: [{ stock: 2 }], shards: 2, standbyLimit: 10 });
    const [here, waiting] = [(await shoppersOn(0, 1))[0] as Api, (await shoppersOn(1, 2)) as [Api, Api]];
    const order = await shop.buy(here, sale);
    await shop.buy(waiting[0], sale);
    await standBy(waiting[1], sale, [1]);
    ok(await shop.operator.post(`/admin/sales/${sale.id}/pause`, { claims: 'go_on' }), 200);
    await cancel(here, order);
    await shop.ticketWhen(waiting[1], sale, ['awaiting_payment'], 30_000);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 2 }] });
  }, 60_000);

  it('leaves to whoever is in line on one what they are waiting for, however dry the other is', async () => {
    const sale = await shop.sale({ items: [{ stock: 12 }], shards: 2 });
    const [here, there] = [await shoppersOn(0, 6), await shoppersOn(1, 7)];
    const last = there.pop() as Api;
    // A drain that hangs has the shard. Its line stands before the other shard runs dry: the sweep would move free units that nobody waits for.
    const [redis, key] = [shop.get(RedisConnections).work, saleKeys.sale({ saleId: sale.id, shard: 0 })];
    await redis.hset(key, { drainId: 'hangs', leaseUntilMs: Date.now() + 600_000 });
    for (const shopper of here) ok(await shop.join(shopper, sale), 202);
    for (const shopper of there) await shop.buy(shopper, sale);
    expect((await shop.join(last, sale)).body.code).toBe('SOLD_OUT');
    for (let round = 0; round < 3; round += 1) await shop.get(TokenBalancing).balance();
    await redis.hdel(key, 'drainId', 'leaseUntilMs');
    for (const shopper of here) await shop.ticketWhen(shopper, sale, ['awaiting_payment'], 30_000);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 12, inList: 0 }] });
  }, 60_000);

  it('sells everything to a crowd that all lands on one of them', async () => {
    const sale = await shop.sale({ items: [{ stock: 18 }], shards: 2 });
    await inParallel(await shoppersOn(1, 18), 18, (shopper) => askUntilSold(shopper, sale));
    expect(await soldUnits(sale)).toBe(18);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 18, inList: 0 }] });
  }, 120_000);

  it.each(['queue', 'instant'] as const)('sells as many units as there are shoppers, however they land on eight shards, in mode %s', async (mode) => {
    const sale = await shop.sale({ mode, items: [{ stock: SHOPPERS }], shards: 8 });
    await inParallel(await shop.shoppers(SHOPPERS), SHOPPERS, (shopper) => askUntilSold(shopper, sale));
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: SHOPPERS, inList: 0 }] });
  }, 120_000);

  it('brings a last unit that comes back to whoever asks again on the other, and back to the first when it is asked for there', async () => {
    const sale = await shop.sale({ items: [{ stock: 2 }], shards: 2 });
    const [here, hereLater] = (await shoppersOn(0, 2)) as [Api, Api];
    const [there, thereLater] = (await shoppersOn(1, 2)) as [Api, Api];
    const { orderId } = await shop.buy(here, sale);
    await shop.buy(there, sale);
    expect((await shop.join(thereLater, sale)).body.code).toBe('SOLD_OUT');
    ok(await here.post(`/orders/${orderId}/cancel`), 200);
    await cancel(thereLater, await askUntilSold(thereLater, sale));
    await askUntilSold(hereLater, sale);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 2, inList: 0 }] });
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

  it('brings units that come back one by one together for who waits for two, whoever waited longest first', async () => {
    const sale = await shop.sale({ items: [{ stock: 2, limitPerUser: 2 }], shards: 2, standbyLimit: 10 });
    const [here, later] = (await shoppersOn(0, 2)) as [Api, Api];
    const [there, first] = (await shoppersOn(1, 2)) as [Api, Api];
    const orders = [await shop.buy(here, sale), await shop.buy(there, sale)];
    for (const shopper of [first, later]) await standBy(shopper, sale, [2]);
    await cancel(here, orders[0]);
    await cancel(there, orders[1]);
    const won = await shop.ticketWhen(first, sale, ['awaiting_payment'], 30_000);
    expect(ok(await later.get(`/sales/${sale.id}/ticket`), 200).body).toMatchObject({ status: 'standby', position: 1 });
    await cancel(first, won);
    await shop.ticketWhen(later, sale, ['awaiting_payment'], 30_000);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 0, held: 2 }] });
  }, 90_000);

  it('brings the items of a basket together, of which each came back on another shard', async () => {
    const sale = await shop.sale({ items: [{ stock: 2 }, { stock: 2 }], shards: 2, standbyLimit: 10 });
    const [pot, pan, later] = (await shoppersOn(0, 3)) as [Api, Api, Api];
    const [otherPot, otherPan, first] = (await shoppersOn(1, 3)) as [Api, Api, Api];
    const only = (which: number) => [{ itemId: sale.itemIds[which] ?? '', quantity: 1 }];
    const freed = [await shop.buy(pot, sale, only(0)), await shop.buy(otherPan, sale, only(1))];
    await shop.buy(otherPot, sale, only(0));
    await shop.buy(pan, sale, only(1));
    for (const shopper of [first, later]) await standBy(shopper, sale, [1, 1]);
    await cancel(pot, freed[0]);
    await cancel(otherPan, freed[1]);
    await shop.ticketWhen(first, sale, ['awaiting_payment'], 30_000);
    expect(ok(await later.get(`/sales/${sale.id}/ticket`), 200).body).toMatchObject({ status: 'standby', position: 1 });
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ inList: 0, held: 2 }, { inList: 0, held: 2 }] });
  }, 90_000);

  it('leaves nothing unsold for which somebody stands by, however baskets, cancels and leaves meet on three shards', async () => {
    const dice = random('baskets over shards');
    const sale = await shop.sale({ items: [{ stock: UNITS, limitPerUser: 3 }, { stock: UNITS, limitPerUser: 3 }], shards: 3, standbyLimit: 3 * SHOPPERS });
    const baskets = Array.from({ length: SHOPPERS }, () => dice.pick([[1, 0], [2, 0], [0, 3], [1, 1], [2, 2], [3, 3]]));
    const shoppers = await shop.shoppers(SHOPPERS);
    await inParallel(shoppers, 20, (shopper, index) => shop.join(shopper, sale, basketOf(sale, baskets[index] ?? [])));
    for (let round = 0; round < ROUNDS; round += 1) {
      await inParallel(shoppers, 20, async (shopper) => {
        const { body } = await shopper.get(`/sales/${sale.id}/ticket`);
        const fate = dice.next(4);
        if (body.status === 'awaiting_payment' && fate < 2) await cancel(shopper, body);
        if (body.status === 'standby' && fate === 3) expect([204, 409]).toContain((await shopper.delete(`/sales/${sale.id}/ticket`)).status);
      });
      await until('nothing to be free that fills a waiting basket', async () => {
        const tickets = await inParallel(shoppers, 20, async (shopper) => (await shopper.get(`/sales/${sale.id}/ticket`)).body.status as string);
        const { ok: isOk, items } = await shop.proof(sale);
        if (!isOk || tickets.includes('queued') || items.some(({ claimed, returning }: { claimed: number; returning: number }) => claimed + returning > 0)) return false;
        return !tickets.some((status, index) => status === 'standby' && items.every(({ inList }: { inList: number }, item: number) => inList >= (baskets[index]?.[item] ?? 0)));
      }, 60_000);
    }
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  }, 300_000);

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
      await expect(balancing['carryOut'](sale.id, [{ itemId, from, to, units: 3 }])).rejects.toThrow('died');
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
