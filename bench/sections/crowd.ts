import type { RowDataPacket } from 'mysql2/promise';
import { saleKeys } from '../../src/goods/sale-keys.js';
import type { Lab } from '../lab.js';
import { measured, type Sample } from '../measure.js';
import type { BenchSale } from '../operator.js';
import { joinRequest, shared } from '../requests.js';
import { percentile } from '../statistics.js';
import { until } from '../wait.js';
import { pidsOf } from './routes.js';

const LOOK_EVERY_MS = 100;
const CONNECTIONS = 100;

export interface CrowdResult {
  /** Seconds that the joins took, and until the last ticket was decided. */
  joinSeconds: number;
  decidedSeconds: number;
  /** From the join to the writing of the order, of which the shopper reads once it is committed. */
  p50Ms: number;
  p99Ms: number;
  /** The most that the newest order was behind the newest join while joins came in. */
  worstLagMs: number;
  orders: number;
}

/** A crowd joins at full load while a worker drains. @throws Error when units are left over, or the proof is not right */
export async function crowd(lab: Lab, shoppers: number, stock: number): Promise<CrowdResult> {
  await lab.needShoppers(shoppers);
  const worker = await lab.startService('worker', undefined);
  try {
    const sale = await lab.sale({ stock });
    const requestsOf = shared(lab.tokens.slice(0, shoppers), CONNECTIONS, (token) => joinRequest(sale, token));
    const watch = watchLag(lab, sale);
    const startedMs = performance.now();
    const joins: Sample = await measured(pidsOf(lab, lab.api), { base: lab.api.base, connections: CONNECTIONS, amount: shoppers, requestsOf }, 202, 410);
    const joinSeconds = (performance.now() - startedMs) / 1000;
    const worstLagMs = await watch.stop();
    await until('every ticket to be decided', async () => {
      const [seq, served, inHand] = await lab.redis.hmget(saleKeys.sale({ saleId: sale.id, shard: 0 }), 'seq', 'served', 'inHand');
      return seq === served && Number(inHand) === 0;
    });
    const decidedSeconds = (performance.now() - startedMs) / 1000;
    const proof = await lab.operator.proof(sale);
    const sold = Math.min(stock, joins.statuses['202'] ?? 0);
    if (!proof.ok || proof.held !== sold || sold !== Math.min(stock, shoppers)) throw new Error(`${proof.held} of ${stock} units are held, ${sold} were due, proof ${proof.ok}`);
    return { joinSeconds, decidedSeconds, worstLagMs, orders: proof.held, ...(await waits(lab, sale)) };
  } finally {
    await lab.stopService(worker);
  }
}

function watchLag(lab: Lab, sale: BenchSale): { stop: () => Promise<number> } {
  let worst = 0;
  let last: Promise<void> = Promise.resolve();
  const startedMs = Date.now();
  const timer = setInterval(() => {
    last = newestOrder(lab, sale).then((joinedAtMs) => {
      // Before the first order the newest join is no older than the sale.
      worst = Math.max(worst, Date.now() - (joinedAtMs ?? startedMs));
    });
  }, LOOK_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await last;
      return worst;
    },
  };
}

/** By (sale_id, id): the ids of orders rise with time. */
async function newestOrder(lab: Lab, sale: BenchSale): Promise<number | undefined> {
  const [rows] = await lab.database.query<RowDataPacket[]>('SELECT joined_at FROM orders WHERE sale_id = ? ORDER BY id DESC LIMIT 1', [sale.id]);
  const joinedAt: unknown = rows[0]?.joined_at;
  return joinedAt instanceof Date ? joinedAt.getTime() : undefined;
}

async function waits(lab: Lab, sale: BenchSale): Promise<{ p50Ms: number; p99Ms: number }> {
  const [rows] = await lab.database.query<RowDataPacket[]>('SELECT joined_at, created_at FROM orders WHERE sale_id = ?', [sale.id]);
  const all = rows.map((row) => (row.created_at as Date).getTime() - (row.joined_at as Date).getTime());
  return { p50Ms: percentile(all, 50), p99Ms: percentile(all, 99) };
}
