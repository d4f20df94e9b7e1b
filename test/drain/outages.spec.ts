import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { startRedisNode, startServices } from '../../scripts/lib/services.mjs';
import { createDatabase, freshServices } from '../harness/services.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

/** Servers of this test's own, which it stops and freezes. */
describe('while a server is away', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'seckill-outage-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it.each(['frozen', 'stopped'] as const)('a join is refused within a second with Redis %s, and all goes on by itself after it', async (how) => {
    const redis = await startRedisNode({ dataDir });
    const { databaseUrl } = await freshServices();
    const shop = await Shop.on({ databaseUrl, redisUrl: redis.url });
    try {
      const sale = await shop.sale();
      const [first, second] = await shop.shoppers(2);
      if (!first || !second) throw new Error('no shoppers');
      const { orderId } = await shop.buy(first, sale);

      if (how === 'frozen') redis.freeze();
      else await redis.stop();
      // The quickest of three: the machine that runs the tests may have other things to do.
      const times: number[] = [];
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const asked = Date.now();
        const { status, headers, body } = await shop.join(second, sale);
        times.push(Date.now() - asked);
        expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
      }
      expect(Math.min(...times)).toBeLessThan(1000);

      if (how === 'frozen') redis.thaw();
      else await redis.start();
      await until('a join to be let in again', async () => (await shop.join(second, sale)).status === 202);
      await shop.ticketWhen(second, sale, ['awaiting_payment']);
      ok(await first.post(`/orders/${orderId}/cancel`), 200);
      await until('the freed unit to be back', async () => (await shop.proof(sale)).items[0].inList === 9);
      expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1 }] });
    } finally {
      redis.thaw();
      await shop.close();
      await redis.close();
    }
  });

  it('a call with a key that fails because MariaDB dies can be made again as soon as it is back', async () => {
    const services = await startServices({ dataDir, announce: false, ownRedis: false });
    const { redisUrl } = await freshServices();
    if (!services.mysql || !services.databaseUrl) throw new Error('no database was started');
    const databaseUrl = await createDatabase(services.databaseUrl);
    const shop = await Shop.on({ databaseUrl, redisUrl });
    try {
      const [sale, shopper] = [await shop.sale(), await shop.shopper()];
      const { orderId } = await shop.buy(shopper, sale);
      const cancel = () => shopper.post(`/orders/${orderId}/cancel`, undefined, { 'idempotency-key': 'again' });
      const inTheWay = await createConnection(databaseUrl);
      inTheWay.on('error', () => undefined);
      await inTheWay.beginTransaction();
      await inTheWay.query('SELECT id FROM orders WHERE id = ? FOR UPDATE', [orderId]);
      const first = cancel();
      await until('the call to have begun', async () => Number((await shop.database.query('SELECT COUNT(*) AS begun FROM idempotency_keys'))[0].begun) === 1);
      await services.mysql.kill();
      expect((await first).status).toBe(503);
      await services.mysql.start();
      await until('the call to be made again', async () => (await cancel()).status === 200, 20_000);
    } finally {
      await services.mysql.start();
      await shop.close();
      await services.stop();
    }
  }, 120_000);

  it('joins are still queued with MariaDB killed, and become orders when it is back', async () => {
    const services = await startServices({ dataDir, announce: false, ownRedis: false });
    const { redisUrl } = await freshServices();
    if (!services.mysql || !services.databaseUrl) throw new Error('no database was started');
    const shop = await Shop.on({ databaseUrl: await createDatabase(services.databaseUrl), redisUrl });
    try {
      const sale = await shop.sale({ items: [{ stock: 20 }] });
      const shoppers = await shop.shoppers(10);
      await services.mysql.kill();
      for (const shopper of shoppers) expect(ok(await shop.join(shopper, sale), 202).body.status).toBe('queued');
      for (const shopper of shoppers) expect((await shopper.get(`/sales/${sale.id}/ticket`)).body.status).toBe('queued');
      expect((await shoppers[0]?.get('/orders'))?.body.code).toBe('UNAVAILABLE');

      await services.mysql.start();
      for (const shopper of shoppers) await shop.ticketWhen(shopper, sale, ['awaiting_payment'], 20_000);
      expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 10, inList: 10, claimed: 0 }] });
    } finally {
      await services.mysql.start();
      await shop.close();
      await services.stop();
    }
  });
});
