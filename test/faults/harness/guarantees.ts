import type { RowDataPacket } from 'mysql2/promise';
import type { TestSale } from '../../harness/shop.js';
import { until } from '../../harness/until.js';
import type { Deployment } from './deployment.js';
import type { Story } from './crowd.js';

export interface Expectation {
  sale: TestSale;
  stock: number;
  limitPerUser: number;
  stories: Story[];
  /** Whether demand is known to exceed supply to the end, so that nothing may be left over. */
  sellsOut: boolean;
}

/**
 * Waits until everything that can finish has finished, and then checks the guarantees. Answers the breaks, one line each; none when all hold.
 */
export async function breaksOf(deployment: Deployment, expected: Expectation): Promise<string[]> {
  const breaks: string[] = [];
  const proof = await settledProof(deployment, expected.sale);
  if (!proof.ok) breaks.push(`proof: ${JSON.stringify(proof)}`);
  breaks.push(...(await storeBreaks(deployment, expected)));
  breaks.push(...(await storyBreaks(deployment, expected)));
  breaks.push(...(await moneyBreaks(deployment, expected)));
  return breaks;
}

/** The proof once nothing is on its way any more; the last one seen if that never happens. */
async function settledProof(deployment: Deployment, sale: TestSale): Promise<{ ok: boolean }> {
  let last: { ok: boolean } = { ok: false };
  try {
    return await until(
      'the sale to come to rest',
      async () => {
        const [proof, stats] = await Promise.all([
          deployment.operator.get(`/admin/sales/${sale.id}/proof`).catch(() => undefined),
          deployment.operator.get(`/admin/sales/${sale.id}/stats`).catch(() => undefined),
        ]);
        if (proof?.status === 401) await deployment.signInAgain();
        if (proof?.status !== 200 || stats?.status !== 200) return undefined;
        last = proof.body;
        const moving = stats.body.waiting + stats.body.claimed + sum(proof.body.items, 'claimed') + sum(proof.body.items, 'returning');
        return proof.body.ok && proof.body.loaded && moving === 0 && proof.body;
      },
      40_000,
    );
  } catch {
    return { ...last, ok: false };
  }
}

const sum = (items: Record<string, number>[], field: string): number => items.reduce((total, item) => total + (item[field] ?? 0), 0);

/** What MySQL says: never oversold, nothing left over, limits, one unpaid order, whole baskets. */
async function storeBreaks({ database }: Deployment, { sale, stock, limitPerUser, stories, sellsOut }: Expectation): Promise<string[]> {
  const breaks: string[] = [];
  const rows = async (sql: string, values: unknown[]): Promise<RowDataPacket[]> => (await database.query<RowDataPacket[]>(sql, values))[0];
  for (const itemId of sale.itemIds) {
    const [held] = await rows('SELECT COUNT(*) AS n FROM held_tokens WHERE sale_item_id = ? AND order_id IS NOT NULL', [itemId]);
    const [counted] = await rows('SELECT sold, stock FROM sale_items WHERE id = ?', [itemId]);
    if (held?.n > stock) breaks.push(`oversold: ${held?.n} of ${stock} units of item ${itemId}`);
    if (sellsOut && held?.n !== stock) breaks.push(`left over: ${stock - held?.n} of ${stock} units of item ${itemId}`);
    if (counted?.sold !== held?.n) breaks.push(`item ${itemId} counts ${counted?.sold} sold, held are ${held?.n}`);
  }
  const greedy = await rows(
    `SELECT user_id, sale_item_id, COUNT(*) AS units FROM held_tokens WHERE sale_item_id IN (?) AND user_id IS NOT NULL
      GROUP BY user_id, sale_item_id HAVING COUNT(*) > ?`,
    [sale.itemIds, limitPerUser],
  );
  if (greedy.length > 0) breaks.push(`${greedy.length} shoppers above the limit`);
  const halves = await rows(
    `SELECT o.id FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.sale_id = ? AND o.status IN ('awaiting_payment','paid')
      GROUP BY o.id HAVING SUM(l.quantity) <> (SELECT COUNT(*) FROM held_tokens h WHERE h.order_id = o.id) OR COUNT(*) <> ?`,
    [sale.id, stories[0]?.basket.length ?? 1],
  );
  if (halves.length > 0) breaks.push(`${halves.length} orders that are not whole`);
  return breaks;
}

/** What the shoppers were told: every promise is an order, every ticket ended, nothing odd was answered. */
async function storyBreaks({ database }: Deployment, { sale, stories }: Expectation): Promise<string[]> {
  const [orders] = await database.query<RowDataPacket[]>('SELECT id, status FROM orders WHERE sale_id = ?', [sale.id]);
  const statusOf = new Map(orders.map((order) => [String(order.id), String(order.status)]));
  const breaks: string[] = [];
  for (const { username, promised, end, faults } of stories) {
    for (const orderId of promised) if (!statusOf.has(orderId)) breaks.push(`${username} was promised order ${orderId}, which is gone`);
    if (!end) breaks.push(`${username} never came to an end`);
    else if (end.status === 'paid' && statusOf.get(end.orderId ?? '') !== 'paid') breaks.push(`${username} was told paid, the order is ${statusOf.get(end.orderId ?? '')}`);
    breaks.push(...faults.map((fault) => `${username}: ${fault}`));
  }
  return breaks;
}

/** Money and orders agree: a paid order has one payment that pays it, no other order has any, and what no order could take has gone back. */
async function moneyBreaks({ database }: Deployment, { sale }: Expectation): Promise<string[]> {
  const disagreeing = async (): Promise<string[]> => {
    const [rows] = await database.query<RowDataPacket[]>(
      `SELECT o.id, o.status, COALESCE(SUM(p.status = 'succeeded'), 0) AS paying, COALESCE(SUM(p.status = 'refund_due'), 0) AS due, COALESCE(SUM(p.status IN ('pending', 'cancelled', 'failed') AND e.id IS NOT NULL), 0) AS forgotten
         FROM orders o LEFT JOIN payments p ON p.order_id = o.id LEFT JOIN payment_events e ON e.payment_id = p.id AND e.result = 'succeeded'
        WHERE o.sale_id = ? GROUP BY o.id, o.status HAVING paying <> (o.status = 'paid') OR due > 0 OR forgotten > 0`,
      [sale.id],
    );
    return rows.map(({ id, status, paying, due, forgotten }) => `order ${id} is ${status} with ${paying} payments for it, ${due} still due back, ${forgotten} forgotten`);
  };
  await until('all money to have come to rest', async () => (await disagreeing()).length === 0, 30_000).catch(() => undefined);
  return disagreeing();
}
