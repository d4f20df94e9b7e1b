import Bull from 'bull';
import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import { v7 as uuidv7 } from 'uuid';
import { saleKeys } from '../../src/goods/sale-keys.js';
import { fillLine, FIRST_USER } from '../floors/script.js';
import type { Lab } from '../lab.js';
import type { BenchSale } from '../operator.js';
import { cpuNs } from '../processes.js';
import { spreadOf, type Spread } from '../statistics.js';
import { until } from '../wait.js';

/** The drain's batch size. */
const BATCH = 500;
/** As many connections as a process of the service has. */
const CONNECTIONS = 16;

export interface DrainPlan {
  rounds: number;
  orders: number;
  /** Orders that are written one by one; fewer, since they take so much longer. */
  single: number;
}

export interface DrainResult {
  /** Orders per second. */
  drain: Spread;
  rows: Spread;
  oneByOne: Spread;
  /** Joins per second of the script alone through a pipelined client: floor (b). */
  script: Spread;
  /** CPU per order in microseconds. */
  workerCpuUs: Spread;
  redisCpuUs: Spread;
  mysqlCpuUs: Spread;
  /** The same of a bare row. */
  rowsMysqlCpuUs: Spread;
  toRows: Spread;
  toOneByOne: Spread;
}

interface Drained {
  drain: number;
  workerCpuUs: number;
  redisCpuUs: number;
  mysqlCpuUs: number;
}

interface Round extends Drained {
  rows: number;
  rowsMysqlCpuUs: number;
  oneByOne: number;
  script: number;
}

/** How fast orders reach MySQL: by the drain, as bare rows (floor c), and one transaction an order; and how fast the join script is alone. */
export async function compareDrains(lab: Lab, { rounds, orders, single }: DrainPlan): Promise<DrainResult> {
  const worker = await lab.startService('worker', undefined);
  const pool = createPool({ uri: lab.databaseUrl, timezone: 'Z', connectionLimit: CONNECTIONS });
  const all: Round[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const sale = await lab.sale({ stock: orders });
      const script = await fillLine(lab, sale, orders);
      const drained = await drain(lab, sale, worker.process.pid, orders);
      const bare = await draft(lab);
      const mysqlBefore = cpuNs(lab.mysqlPid);
      const rows = await writeRows(pool, bare, orders);
      const rowsMysqlCpuUs = (cpuNs(lab.mysqlPid) - mysqlBefore) / 1000 / orders;
      const figures = { ...drained, script, rows, rowsMysqlCpuUs, oneByOne: await writeOneByOne(pool, await draft(lab), single) };
      if (round > 0) all.push(figures);
    }
  } finally {
    await pool.end();
    await lab.stopService(worker);
  }
  const of = (read: (figures: Round) => number): Spread => spreadOf(all.map(read));
  return {
    drain: of((f) => f.drain), rows: of((f) => f.rows), oneByOne: of((f) => f.oneByOne), script: of((f) => f.script), workerCpuUs: of((f) => f.workerCpuUs),
    redisCpuUs: of((f) => f.redisCpuUs), mysqlCpuUs: of((f) => f.mysqlCpuUs), rowsMysqlCpuUs: of((f) => f.rowsMysqlCpuUs),
    toRows: of((f) => f.drain / f.rows), toOneByOne: of((f) => f.drain / f.oneByOne),
  };
}

/** A sale that nobody sells, for rows that no drain writes. */
const draft = (lab: Lab): Promise<BenchSale> => lab.sale({ stock: 1_000_000, publish: false });

/** Wakes the drain and waits until the line is empty and settled; then the books must be right. */
async function drain(lab: Lab, sale: BenchSale, workerPid: number, orders: number): Promise<Drained> {
  const shard = { saleId: sale.id, shard: 0 };
  const queue = new Bull<typeof shard>('drain', lab.redisUrl, { prefix: '{seckill-bull}' });
  try {
    await queue.isReady();
    const pids = { workerCpuUs: workerPid, redisCpuUs: lab.redisPid, mysqlCpuUs: lab.mysqlPid };
    const cpuOf = (pid: number): number => cpuNs(pid) / 1000 / orders;
    const before = { workerCpuUs: cpuOf(pids.workerCpuUs), redisCpuUs: cpuOf(pids.redisCpuUs), mysqlCpuUs: cpuOf(pids.mysqlCpuUs) };
    const startedMs = performance.now();
    await queue.add(shard);
    await until('the line to be drained', async () => {
      const [served, inHand] = await lab.redis.hmget(saleKeys.sale(shard), 'served', 'inHand');
      return Number(served) === orders && Number(inHand) === 0;
    }, 60_000, 5);
    const seconds = (performance.now() - startedMs) / 1000;
    const used = (name: keyof typeof pids): number => cpuOf(pids[name]) - before[name];
    const cpu = { workerCpuUs: used('workerCpuUs'), redisCpuUs: used('redisCpuUs'), mysqlCpuUs: used('mysqlCpuUs') };
    const proof = await lab.operator.proof(sale);
    if (!proof.ok || proof.held !== orders) throw new Error(`${orders} tickets were drained, ${proof.held} units are held, proof ${proof.ok}`);
    return { drain: orders / seconds, ...cpu };
  } finally {
    await queue.close();
  }
}

/** What one order leaves in the tables, for a sale that nobody else knows. */
interface Rows {
  order: unknown[];
  line: unknown[];
  held: unknown[];
  event: unknown[];
}

const INSERTS = {
  order: 'INSERT INTO orders (id, sale_id, shard, user_id, ticket_id, status, amount_minor, currency, joined_at, created_at, pay_before) VALUES ?',
  line: 'INSERT INTO order_lines (order_id, sale_item_id, goods_id, title, quantity, unit_price_minor) VALUES ?',
  held: 'INSERT INTO held_tokens (sale_item_id, serial, order_id, user_id, user_slot) VALUES ?',
  event: 'INSERT INTO order_events (order_id, sale_id, to_status, cause, created_at, relayed_at) VALUES ?',
} as const;

function rowsOf({ id: saleId, itemId }: BenchSale, serial: number): Rows {
  const [id, now] = [uuidv7(), new Date()];
  const user = FIRST_USER + serial;
  return {
    order: [id, saleId, 0, user, uuidv7(), 'awaiting_payment', 100, 'EUR', now, now, new Date(now.getTime() + 900_000)],
    line: [id, itemId, 1, 'Benchmark goods', 1, 100],
    held: [itemId, serial, id, user, 1],
    event: [id, saleId, 'awaiting_payment', 'drain', now, now],
  };
}

async function insert(connection: PoolConnection, rows: Rows[]): Promise<void> {
  for (const table of ['order', 'line', 'held', 'event'] as const) await connection.query(INSERTS[table], [rows.map((row) => row[table])]);
}

const COUNT = 'UPDATE sale_items SET sold = sold + ? WHERE id = ? AND sold + ? <= stock';

/** Floor (c): the same rows in the same batches, on one connection, with nothing around. Answers orders per second. */
async function writeRows(pool: Pool, sale: BenchSale, orders: number): Promise<number> {
  const connection = await pool.getConnection();
  try {
    const startedMs = performance.now();
    for (let from = 0; from < orders; from += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, orders - from) }, (_, index) => rowsOf(sale, from + index + 1));
      await connection.beginTransaction();
      await insert(connection, rows);
      await connection.query(COUNT, [rows.length, sale.itemId, rows.length]);
      await connection.commit();
    }
    return orders / ((performance.now() - startedMs) / 1000);
  } finally {
    connection.release();
  }
}

/**
 * The way of the fourth seed article: each request looks for the item and for an earlier order of the shopper, takes a unit by a conditional
 * update and writes its order, in a transaction of its own, on as many connections as the service has. Answers orders per second.
 */
async function writeOneByOne(pool: Pool, sale: BenchSale, orders: number): Promise<number> {
  let next = 0;
  const lane = async (): Promise<void> => {
    const connection = await pool.getConnection();
    try {
      for (let serial = (next += 1); serial <= orders; serial = next += 1) {
        const rows = rowsOf(sale, serial);
        await connection.query('SELECT stock, sold FROM sale_items WHERE id = ?', [sale.itemId]);
        await connection.query('SELECT id FROM orders WHERE sale_id = ? AND user_id = ? LIMIT 1', [sale.id, FIRST_USER + serial]);
        await connection.beginTransaction();
        await connection.query(COUNT, [1, sale.itemId, 1]);
        await insert(connection, [rows]);
        await connection.commit();
      }
    } finally {
      connection.release();
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return orders / ((performance.now() - startedMs) / 1000);
}
