import { Logger } from '@nestjs/common';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRedisNode } from '../../scripts/lib/services.mjs';
import { shardsOf, saleKeys } from '../../src/goods/index.js';
import type { Finding } from '../../src/readiness/finding.js';
import { freshServices } from '../harness/services.js';
import { ok, Shop, type SalePlan, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { findingOf, readinessOf } from './findings.js';

Logger.overrideLogger(false);

const HOUR_MS = 3_600_000;

/** Without a scheduler nothing is loaded, mended or moved behind a test's back. */
describe('the check of the tokens', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
  });
  afterAll(() => shop.close());

  const look = (sale: TestSale): Promise<Finding> => findingOf(shop, sale, 'tokens_loaded');
  const listOf = (sale: TestSale, item = 0, shard = 0): string => {
    const [of, itemId] = [shardsOf(sale.id, shard + 1)[shard], sale.itemIds[item]];
    if (!of || itemId === undefined) throw new Error('no such list');
    return saleKeys.stock(of, itemId);
  };
  const expectLoaded = async (sale: TestSale, listed: number): Promise<void> =>
    expect(await look(sale)).toEqual({ status: 'ok', message: 'All units that may be sold are in the stock lists.', figures: { listed, expected: listed } });
  const expectOdd = async (sale: TestSale, item: number, listed: number, expected: number): Promise<void> => {
    const finding = await look(sale);
    expect(finding).toMatchObject({ status: 'failed', message: expect.stringContaining('do not hold the units'), figures: { [`item ${sale.itemIds[item]}`]: `${listed} in the lists, ${expected} expected` } });
    expect(Object.keys(finding.figures).filter((name) => name.startsWith('item '))).toHaveLength(1);
    expect((await readinessOf(shop, sale)).ready).toBe(false);
  };

  it.each<SalePlan>([
    {}, { items: [{ stock: 7 }, { stock: 5 }] }, { shards: 4, items: [{ stock: 10 }] }, { shards: 3, items: [{ stock: 3 }] }, { startsInMs: 60_000 }, { mode: 'instant' },
  ])('passes once all are loaded: %j', async (plan) => {
    const sale = await shop.sale(plan);
    await expectLoaded(sale, (plan.items ?? [{ stock: 10 }]).reduce((sum, { stock }) => sum + stock, 0));
  });

  it('fails for a draft', async () => {
    const sale = await shop.sale({ publish: false });
    expect(await look(sale)).toEqual({ status: 'failed', message: 'The sale is a draft: publish it.', figures: {} });
  });

  it('warns of a sale that is not loaded because it starts much later, until it is', async () => {
    const sale = await shop.sale({ startsInMs: HOUR_MS, endsInMs: 2 * HOUR_MS });
    expect(await look(sale)).toMatchObject({ status: 'warning', message: expect.stringContaining('from 600 s before its start on'), figures: { shards: 1, shardsLoaded: 0 } });
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    await expectLoaded(sale, 10);
  });

  it('fails when Redis has lost the sale, or a shard of it', async () => {
    const sale = await shop.sale({ shards: 2 });
    const [, second] = shardsOf(sale.id, 2);
    if (!second) throw new Error('no second shard');
    await shop.redis.del(saleKeys.sale(second));
    expect(await look(sale)).toMatchObject({ status: 'failed', message: expect.stringContaining('is not loaded'), figures: { shards: 2, shardsLoaded: 1 } });
    await shop.wipe(sale);
    expect(await look(sale)).toMatchObject({ status: 'failed', message: expect.stringContaining('is not loaded'), figures: { shards: 2, shardsLoaded: 0 } });
    ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
    await expectLoaded(sale, 10);
  });

  it('fails when what stands in Redis is of another epoch', async () => {
    const sale = await shop.sale();
    await shop.database.query('UPDATE sales SET epoch = epoch + 1 WHERE id = ?', [sale.id]);
    expect(await look(sale)).toMatchObject({ status: 'failed', figures: { shards: 1, shardsLoaded: 0 } });
  });

  it('fails for a sale whose retention has passed', async () => {
    const sale = await shop.sale();
    await shop.database.query('UPDATE sales SET starts_at = starts_at - INTERVAL 2 DAY, ends_at = ends_at - INTERVAL 2 DAY WHERE id = ?', [sale.id]);
    await shop.wipe(sale);
    expect(await look(sale)).toMatchObject({ status: 'failed', message: expect.stringContaining('is over') });
  });

  it('fails when a token is missing, or all of an item, and names the item', async () => {
    const sale = await shop.sale({ items: [{ stock: 4 }, { stock: 10 }] });
    await shop.redis.lpop(listOf(sale, 1));
    await expectOdd(sale, 1, 9, 10);
    await shop.redis.del(listOf(sale, 1));
    await expectOdd(sale, 1, 0, 10);
  });

  it('fails when a token is missing on one of several shards', async () => {
    const sale = await shop.sale({ shards: 4, items: [{ stock: 12 }] });
    await shop.redis.lpop(listOf(sale, 0, 3));
    await expectOdd(sale, 0, 11, 12);
  });

  it('fails when there is a token too many', async () => {
    const sale = await shop.sale();
    await shop.redis.lpush(listOf(sale), 11);
    await expectOdd(sale, 0, 11, 10);
  });

  it('does not let too many of one item make up for too few of another', async () => {
    const sale = await shop.sale({ items: [{ stock: 4 }, { stock: 4 }] });
    await shop.redis.lpush(listOf(sale, 0), 5);
    await shop.redis.lpop(listOf(sale, 1));
    const { status, figures } = await look(sale);
    expect(status).toBe('failed');
    expect(figures).toMatchObject({ listed: 8, expected: 8, [`item ${sale.itemIds[0]}`]: '5 in the lists, 4 expected', [`item ${sale.itemIds[1]}`]: '3 in the lists, 4 expected' });
  });

  it('knows of units that were added, withdrawn, sold, given back, or are on their way back', async () => {
    const sale = await shop.sale();
    const change = async (delta: number) => ok(await shop.operator.post(`/admin/sales/${sale.id}/items/${sale.itemIds[0]}/stock`, { delta }), 200);
    await change(5);
    await expectLoaded(sale, 15);
    await change(-7);
    await expectLoaded(sale, 8);

    const worker = await shop.start(['worker']);
    const [buyer, other] = await shop.shoppers(2);
    if (!buyer || !other) throw new Error('no shoppers');
    await shop.buy(buyer, sale);
    const { orderId } = await shop.buy(other, sale);
    await shop.stop(worker);
    await expectLoaded(sale, 6);
    ok(await other.post(`/orders/${orderId}/cancel`), 200);
    await until('the unit to be back', async () => (await shop.redis.llen(listOf(sale))) === 7);
    await expectLoaded(sale, 7);

    // As if its way to Redis were still before it.
    await shop.database.query('UPDATE token_returns SET relayed_at = NULL WHERE order_id = ?', [orderId]);
    await shop.redis.lpop(listOf(sale));
    await expectLoaded(sale, 6);
  });

  it('warns of units that are claimed just now, but fails where they do not explain what is missing, or there is one too many', async () => {
    const sale = await shop.sale({ mode: 'instant' });
    // The join itself claims, and no worker is there to go on with it.
    ok(await shop.join(await shop.shopper(), sale), 202);
    expect(await look(sale)).toMatchObject({ status: 'warning', message: expect.stringContaining('on the move'), figures: { listed: 9, expected: 10, underWay: 1 } });
    await shop.redis.lpop(listOf(sale));
    await expectOdd(sale, 0, 8, 10);
    await shop.redis.rpush(listOf(sale), 10, 11, 12);
    await expectOdd(sale, 0, 11, 10);
  });

  it('warns while units that do not fit are on the move', async () => {
    const sale = await shop.sale({ items: [{ stock: 500 }] });
    let isOver = false;
    const moving = (async () => {
      for (; !isOver; await delay(5)) await shop.redis.lpop(listOf(sale));
    })();
    const finding = await look(sale);
    isOver = true;
    await moving;
    expect(finding).toMatchObject({ status: 'warning', message: expect.stringContaining('on the move') });
    expect(await look(sale)).toMatchObject({ status: 'failed' });
  });

  it('looks again before it says that something is wrong', async () => {
    const sale = await shop.sale();
    const token = await shop.redis.lpop(listOf(sale));
    const looks = async (): Promise<number> => Number(/cmdstat_llen:calls=(\d+)/.exec(await shop.redis.info('commandstats'))?.[1] ?? 0);
    const before = await looks();
    const finding = look(sale);
    await until('a first look at the list', async () => (await looks()) > before);
    await shop.redis.lpush(listOf(sale), token ?? '');
    expect(await finding).toMatchObject({ status: 'ok' });
  });
});

describe('the check of the tokens, when Redis was restarted', () => {
  it('fails until the sale is loaded anew, since no join is taken before that', async () => {
    const folder = await mkdtemp(join(process.env.TEST_DATA_DIR ?? tmpdir(), 'tokens-'));
    const node = await startRedisNode({ dataDir: folder, extraArgs: ['--appendfsync', 'always'] });
    const shop = await Shop.on({ ...(await freshServices()), redisUrl: node.url }, {}, ['api']);
    try {
      const sale = await shop.sale();
      expect(await findingOf(shop, sale, 'tokens_loaded')).toMatchObject({ status: 'ok' });
      await node.stop();
      await node.start();
      const finding = await until('an answer', async () => {
        const { status, body } = await shop.operator.get(`/admin/sales/${sale.id}/readiness`);
        return status === 200 && body.checks.find(({ name }: { name: string }) => name === 'tokens_loaded');
      });
      expect(finding).toMatchObject({ status: 'failed', figures: { shards: 1, shardsLoaded: 0 } });
      ok(await shop.operator.post(`/admin/sales/${sale.id}/preload`), 200);
      expect(await findingOf(shop, sale, 'tokens_loaded')).toMatchObject({ status: 'ok' });
    } finally {
      await shop.close();
      await node.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
