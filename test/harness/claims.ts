import { SaleReader, type SaleShard } from '../../src/goods/index.js';
import { RedisClock } from '../../src/infra/clock/index.js';
import { ReservedPool } from '../../src/infra/database/index.js';
import { BatchDecision, type Batch, type Decision } from '../../src/order/batch-decision.js';
import { OrderRepository } from '../../src/order/order.repository.js';
import { SeckillScripts } from '../../src/seckill/index.js';
import type { Shop, TestSale } from './shop.js';

export const shardOf = (sale: TestSale, shard = 0): SaleShard => ({ saleId: sale.id, shard });

/**
 * Claims what waits, as a worker does that dies at once: its lease is over in no time. Answers the batch it had in hand.
 * @param inHand tickets that it had in hand besides, from its claim before
 */
export async function claimAndDie(shop: Shop, sale: TestSale, maxTickets = 500, inHand = 0): Promise<Batch> {
  const shard = shardOf(sale);
  const call = { drainId: 'a worker that died', leaseMs: 1, maxTickets, inHand, itemIds: sale.itemIds };
  const claim = await shop.get(SeckillScripts).claim(shard, call);
  if (claim.outcome !== 'claimed') throw new Error(`nothing was claimed: ${claim.outcome}`);
  return { sale: await shop.get(SaleReader).get(sale.id), shard, ...claim };
}

/** Decides a batch as a worker does, without one. */
export async function decide(shop: Shop, batch: Batch): Promise<Decision> {
  const decision = new BatchDecision(new OrderRepository(new ReservedPool(shop.database)), shop.get(RedisClock));
  return decision.decide(await decision.draft(batch));
}

/** How many orders each of the sale's tickets has. */
export async function ordersPerTicket(shop: Shop, sale: TestSale): Promise<number[]> {
  const rows: { orders: string }[] = await shop.database.query('SELECT COUNT(*) AS orders FROM orders WHERE sale_id = ? GROUP BY ticket_id', [sale.id]);
  return rows.map((row) => Number(row.orders));
}
