import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/lib/ports.mjs';
import { ServiceProcess } from '../faults/harness/deployment.js';
import { Api } from '../harness/api.js';
import { ordersPerTicket } from '../harness/claims.js';
import { inParallel } from '../harness/parallel.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

const SHOPPERS = 600;
const SECRETS = { OPERATOR_USERNAME: 'operator', OPERATOR_PASSWORD: 'operator-demo', PAYMENT_SECRET: 'a secret of payments' };

/** Two real processes that each answer shoppers and decide tickets, and log all they can. */
describe('two processes at once', () => {
  let shop: Shop;
  let folder: string;
  const processes: ServiceProcess[] = [];
  const logs = (): string[] => processes.map(({ name }) => join(folder, `${name}.log`));

  beforeAll(async () => {
    folder = await mkdtemp(join(process.env.TEST_DATA_DIR ?? tmpdir(), 'processes-'));
    shop = await Shop.open({ PAYMENT_SECRET: SECRETS.PAYMENT_SECRET }, ['api', 'scheduler']);
    for (const name of ['one', 'two']) {
      const port = await findFreePort();
      const env = {
        ...SECRETS, ROLE: 'api,worker', PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'trace', NODE_ENV: 'test',
        DATABASE_URL: shop.services.databaseUrl, REDIS_URL: shop.services.redisUrl,
      };
      const service = new ServiceProcess(name, 'api', port, env, join(folder, `${name}.log`));
      service.start();
      processes.push(service);
    }
    for (const { name, port } of processes) {
      await until(`process ${name}`, async () => (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok, 30_000);
    }
  });
  afterAll(async () => {
    await Promise.all(processes.map((service) => service.stop()));
    await shop.close();
    await rm(folder, { recursive: true, force: true });
  });

  const apis = (): Api[] => processes.map(({ port }) => new Api(`http://127.0.0.1:${port}/api`));

  it('never give two tickets or orders the same id', async () => {
    const sale = await shop.sale({ shards: 4, items: [{ stock: SHOPPERS }] });
    const tokens = (await shop.tokens(SHOPPERS)).map(({ token }) => token);
    const joined = await inParallel(tokens, 60, async (token, index) => {
      const api = apis()[index % 2];
      return api ? ok(await shop.join(api.as(token), sale), 202).body.ticketId : undefined;
    });
    expect(new Set(joined).size).toBe(SHOPPERS);
    const orders = await until('an order for each ticket', async () => {
      const rows: { id: string; ticket_id: string }[] = await shop.database.query('SELECT id, ticket_id FROM orders WHERE sale_id = ?', [sale.id]);
      return rows.length >= SHOPPERS && rows;
    });
    expect(orders.map((order) => order.ticket_id).sort()).toEqual([...joined].sort());
    expect(new Set([...orders.map(({ id }) => id), ...joined]).size).toBe(2 * SHOPPERS);
    expect(new Set(await ordersPerTicket(shop, sale))).toEqual(new Set([1]));
    expect(await shop.proof(sale)).toMatchObject({ ok: true });
  });

  it('write no token, password or secret into their logs', async () => {
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    const password = 'a very secret password';
    const seen = [password, 'a wrong secret', ...Object.values(SECRETS).slice(1)];
    for (const api of apis()) {
      const username = `user${seen.length}`;
      const { token } = ok(await api.post('/auth/register', { username, password }), 201).body;
      seen.push(token, ok(await api.post('/auth/login', { username, password }), 200).body.token);
      ok(await api.post('/auth/login', { username, password: 'a wrong secret' }), 401);
      ok(await api.post('/auth/login', `{"username":"${username}","password":"${password}"`), 400);
      ok(await api.post('/auth/login', { username, password: [password] }), 400);
      ok(await api.post('/auth/register', { username, password }), 409);
      ok(await api.as(token).get(`/sales/${sale.id}/ticket?token=${token}`), 404);
      await api.as(token).post(`/sales/${sale.id}/tickets`, { items: [{ itemId: sale.itemIds[0], quantity: 1 }] });
      ok(await api.as(token).get('/nowhere'), 404);
      ok(await api.as(token).post('/auth/logout'), 204);
    }
    const written = (await Promise.all(logs().map((file) => readFile(file, 'utf8')))).join('\n');
    expect(written).toContain('"pid"');
    expect(seen.filter((secret) => written.includes(secret))).toEqual([]);
  });
});
