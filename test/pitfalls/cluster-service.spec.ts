import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Api } from '../harness/api.js';
import { TestCluster } from '../harness/cluster.js';
import { inParallel } from '../harness/parallel.js';
import { freshServices } from '../harness/services.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

const SHOPPERS = 24;

/** Bull's scripts, ours, pub/sub and the locks, on three masters. */
describe('the service on a Redis Cluster', () => {
  let folder: string;
  let cluster: TestCluster;
  let shop: Shop;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seckill-cluster-'));
    cluster = await TestCluster.start(folder, 3);
    const [node] = cluster.nodes;
    const { databaseUrl } = await freshServices();
    shop = await Shop.on({ databaseUrl, redisUrl: node?.url ?? '' }, { REDIS_CLUSTER_NODES: cluster.addresses });
  });
  afterAll(async () => {
    await shop?.close();
    await cluster?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['queue', 'instant'] as const)('sells a sale of four shards to a crowd in mode %s, to the last unit, and what is paid, cancelled or runs out goes its way', async (mode) => {
    const sale = await shop.sale({ mode, shards: 4, items: [{ stock: SHOPPERS }] });
    const shoppers = await shop.shoppers(SHOPPERS);
    await inParallel(shoppers, 10, async (shopper) => {
      // Whose shard ran dry is told that it is sold out, until it gets units from another, and tries again.
      await until('an order', async () => {
        await shop.join(shopper, sale);
        return (await shopper.get(`/sales/${sale.id}/ticket`)).body.status === 'awaiting_payment';
      }, 60_000);
    });
    const [payer, canceller] = shoppers as [Api, Api];
    const orderOf = async (shopper: Api): Promise<string> => (await shopper.get(`/sales/${sale.id}/ticket`)).body.orderId;
    ok(await payer.post(`/orders/${await orderOf(payer)}/pay`), 200);
    await shop.ticketWhen(payer, sale, ['paid'], 30_000);
    ok(await canceller.post(`/orders/${await orderOf(canceller)}/cancel`), 200);
    await shop.ticketWhen(canceller, sale, ['cancelled']);
    await until('a proof that is ok', async () => {
      const { ok: isOk, items } = await shop.proof(sale);
      return isOk && items[0].held === SHOPPERS - 1 && items[0].inList === 1;
    }, 30_000);

    const short = await shop.sale({ mode, items: [{ stock: 1 }], paymentTimeoutSeconds: 1 });
    await shop.buy(canceller, short);
    await shop.ticketWhen(canceller, short, ['expired'], 30_000);
    await until('the unit to be free', async () => (await shop.proof(short)).items[0].inList === 1);
  }, 150_000);
});
