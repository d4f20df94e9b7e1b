import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../scripts/lib/ports.mjs';
import { ServiceProcess } from '../faults/harness/deployment.js';
import { writeOrders } from '../harness/many-orders.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

/** `CSV_ORDERS=1000000 npm test -- test/load/orders-export` for a large one; a smaller file would fit into the buffers of a socket. */
const ORDERS = Number(process.env['CSV_ORDERS'] ?? 50_000);
/** What the serving process may grow by, however many orders there are. */
const GROWTH_BYTES = 160 * 1024 * 1024;
/** More than the pool of the process has connections. */
const SLOW_READERS = 20;
/** How long they are watched, and what the process may grow by meanwhile: read on, 20 files of 50,000 orders would be some 300 MiB. */
const [STAND_MS, STANDING_BYTES] = [3000, 48 * 1024 * 1024];
/** Connections that this test itself keeps open for its other calls. */
const OWN_SOCKETS = 2;
const COLUMNS = 14;

describe(`the export of ${ORDERS} orders by a process of its own`, () => {
  let shop: Shop;
  let api: ServiceProcess | undefined;
  let port: number;
  let sale: TestSale;
  let token: string;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    sale = await shop.sale({ publish: false });
    await writeOrders(shop.database, { saleId: sale.id, count: ORDERS, fromMs: Date.UTC(2025, 0, 1), users: 1000, usernames: '=shopper"', title: '+Kettle, "1,5 l"\nred' });
    port = await findFreePort();
    const { databaseUrl, redisUrl } = shop.services;
    const settings = { PORT: String(port), HOST: '127.0.0.1', NODE_ENV: 'test', LOG_LEVEL: 'warn', OPERATOR_USERNAME: 'operator', OPERATOR_PASSWORD: 'operator-demo' };
    api = new ServiceProcess('api', 'api', port, { ...settings, ROLE: 'api', DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }, `${process.env['TEST_DATA_DIR'] ?? '/tmp'}/orders-export.log`);
    api.start();
    await until('the process to answer', async () => (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok, 60_000);
    ({ token } = ok(await shop.api.post('/auth/login', { username: 'operator', password: 'operator-demo' }), 200).body);
  }, 600_000);
  afterAll(async () => {
    await api?.stop();
    await shop.close();
  });

  const open = async (): Promise<IncomingMessage> => {
    const request = get(`http://127.0.0.1:${port}/api/admin/sales/${sale.id}/orders.csv`, { agent: false, headers: { authorization: `Bearer ${token}` } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    return response;
  };
  /** Resident memory of the serving process. */
  const memory = async (): Promise<number> => 1024 * Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${api?.pid}/status`, 'utf8'))?.[1]);
  const watchMemory = (): { stop: () => Promise<number> } => {
    const watch = { peak: 0, isOver: false };
    const watching = (async () => {
      while (!watch.isOver) {
        watch.peak = Math.max(watch.peak, await memory().catch(() => 0));
        await delay(50);
      }
      return watch.peak;
    })();
    return { stop: () => ((watch.isOver = true), watching) };
  };
  /** Statements that the server has answered; only the export asks for anything here. */
  const selects = async (): Promise<number> => Number((await shop.database.query(`SHOW GLOBAL STATUS LIKE 'Com_select'`))[0].Value);
  /** Those of readers and of the connections to the servers, which stay. */
  const openSockets = async (): Promise<number> => {
    const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^nodejs_active_resources\{type="TCPSocketWrap"[^}]*\} (\d+)/m.exec(figures)?.[1] ?? 0);
  };

  it('has each of them once and in order, as plain text, in a memory that does not grow with their number', async () => {
    (await open()).destroy();
    const before = await memory();
    const watch = watchMemory();
    const { records, cells, ids } = await readCsv(await open());
    const peak = await watch.stop();
    process.stderr.write(`orders.csv: ${records} records, ${ids.size} ids; resident memory ${mib(before)} MiB before, ${mib(peak)} MiB at most\n`);
    expect([records, ids.size, cells]).toEqual([ORDERS + 1, ORDERS, new Set([COLUMNS])]);
    const [row] = await shop.database.query('SELECT COUNT(*) AS n FROM orders WHERE sale_id = ?', [sale.id]);
    expect(Number(row.n)).toBe(ORDERS);
    expect(peak - before).toBeLessThan(GROWTH_BYTES);
  }, 900_000);

  it('holds no transaction, no connection of the pool and no memory for readers that stand still, and lets go of those that leave', async () => {
    const readers: IncomingMessage[] = [];
    for (let reader = 0; reader < SLOW_READERS; reader += 1) {
      const response = await open();
      await once(response, 'readable');
      readers.push(response);
    }
    const ask = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/api/admin/sales/${sale.id}/stats`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask()).toBe(200);
    await until('the database to have nothing to do for them', async () => {
      const rows: { Command: string; Info: string | null }[] = await shop.database.query('SHOW PROCESSLIST');
      return rows.filter(({ Command, Info }) => Command !== 'Sleep' && !Info?.startsWith('SHOW')).length === 0;
    });
    // The buffers of their sockets fill up first; from then on nothing is read for them, and nothing is kept.
    let last = -1;
    await until('no page to be read any more', async () => {
      const before = last;
      last = await selects();
      await delay(500);
      return last === before;
    });
    const standing = await memory();
    const watch = watchMemory();
    await delay(STAND_MS);
    expect([await selects(), (await watch.stop()) - standing < STANDING_BYTES]).toEqual([last, true]);
    const sockets = await openSockets();
    for (const response of readers) response.destroy();
    await until('their sockets to be closed', async () => (await openSockets()) <= sockets - SLOW_READERS + OWN_SOCKETS);
    expect(await ask()).toBe(200);
  }, 120_000);
});

const mib = (bytes: number): number => Math.round(bytes / 1024 / 1024);

/** Reads a file of quoted cells as it comes, and checks the order of its ids. */
async function readCsv(stream: AsyncIterable<Buffer>): Promise<{ records: number; cells: Set<number>; ids: Set<string> }> {
  const [seen, ids] = [new Set<number>(), new Set<string>()];
  let [rest, records, last] = ['', 0, ''];
  for await (const chunk of stream) {
    const { complete, left } = split(rest + chunk.toString('latin1'));
    rest = left;
    for (const record of complete) {
      const cells = [...`${record},`.matchAll(/("(?:[^"]|"")*"|[^,"]*),/g)].map(([, cell]) => cell);
      records += 1;
      seen.add(cells.length);
      const [id, , , username] = cells;
      const title = cells.at(-1);
      if (records === 1) continue;
      if (!id || id <= last || !username?.startsWith(`"'=shopper""`) || title !== `"'+Kettle, ""1,5 l""\nred"`) throw new Error(`record ${records} is wrong: ${record}`);
      ids.add(id);
      last = id;
    }
  }
  if (rest !== '') throw new Error(`the file breaks off: ${rest}`);
  return { records, cells: seen, ids };
}

/** No cell of these orders has a CRLF in it, so each one ends a record. */
function split(text: string): { complete: string[]; left: string } {
  const complete = text.split('\r\n');
  const left = complete.pop() ?? '';
  return { complete, left };
}
