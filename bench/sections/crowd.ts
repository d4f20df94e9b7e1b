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
  /** From the join until the ticket can be paid: the order is committed, and the drain has settled it. */
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
    const settles = await watchSettles(lab, sale);
    const startedMs = performance.now();
    const joins: Sample = await measured(pidsOf(lab, lab.api), { base: lab.api.base, connections: CONNECTIONS, amount: shoppers, requestsOf }, 202, 410);
    const joinSeconds = (performance.now() - startedMs) / 1000;
    const worstLagMs = await watch.stop();
    await until('every ticket to be decided', async () => {
      const [seq, served, inHand] = await lab.redis.hmget(saleKeys.sale({ saleId: sale.id, shard: 0 }), 'seq', 'served', 'inHand');
      return seq === served && Number(inHand) === 0;
    });
    const decidedSeconds = (performance.now() - startedMs) / 1000;
    const settledAtMs = await settles.stop();
    const proof = await lab.operator.proof(sale);
    const sold = Math.min(stock, joins.statuses['202'] ?? 0);
    if (!proof.ok || proof.held !== sold || sold !== Math.min(stock, shoppers)) throw new Error(`${proof.held} of ${stock} units are held, ${sold} were due, proof ${proof.ok}`);
    return { joinSeconds, decidedSeconds, worstLagMs, orders: proof.held, ...(await waits(lab, sale, settledAtMs)) };
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

/** Listens to the hints that the drain's scripts publish in the step in which tickets change, and notes when each user's first one came. */
async function watchSettles(lab: Lab, sale: BenchSale): Promise<{ stop: () => Promise<Map<string, number>> }> {
  const settledAtMs = new Map<string, number>();
  const subscriber = lab.redis.duplicate();
  await subscriber.subscribe(`seckill:tickets:${sale.id}:0`);
  subscriber.on('message', (_channel: string, users: string) => {
    const nowMs = Date.now();
    for (const user of users.split(' ')) if (!settledAtMs.has(user)) settledAtMs.set(user, nowMs);
  });
  return {
    stop: async () => {
      // What was published before is read before this is answered.
      await subscriber.unsubscribe();
      subscriber.disconnect();
      return settledAtMs;
    },
  };
}

/** @throws Error when an order's ticket was never settled */
async function waits(lab: Lab, sale: BenchSale, settledAtMs: ReadonlyMap<string, number>): Promise<{ p50Ms: number; p99Ms: number }> {
  const [rows] = await lab.database.query<RowDataPacket[]>('SELECT user_id, joined_at FROM orders WHERE sale_id = ?', [sale.id]);
  const all = rows.map((row) => (settledAtMs.get(String(row.user_id)) ?? NaN) - (row.joined_at as Date).getTime());
  if (all.some(Number.isNaN)) throw new Error(`${all.filter(Number.isNaN).length} orders' tickets were not seen to be settled`);
  return { p50Ms: percentile(all, 50), p99Ms: percentile(all, 99) };
}
