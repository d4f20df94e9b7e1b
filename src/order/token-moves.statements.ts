import { execute, placeholders, select, text, type Executor } from '../infra/database/index.js';

/** Tokens on their way to another shard: rows of the outbox that bear the id of the move in place of an order's. */
export async function insertMove(executor: Executor, move: { withdrawalId: string; saleId: string; itemId: string; serials: number[]; toShard: number; nowMs: number }): Promise<void> {
  const { withdrawalId, saleId, itemId, serials, toShard, nowMs } = move;
  const rows = serials.flatMap((serial) => [saleId, toShard, itemId, serial, moveIdOf(withdrawalId), new Date(nowMs)]);
  await execute(executor, `INSERT INTO token_returns (sale_id, shard, sale_item_id, serial, order_id, created_at) VALUES ${placeholders(serials.length, 6)}`, rows);
}

/** Which of these withdrawals are moves that MySQL knows, relayed or not. Index: ix_token_returns_order. */
export async function committedMoves(executor: Executor, withdrawalIds: string[]): Promise<Set<string>> {
  if (withdrawalIds.length === 0) return new Set();
  const rows = await select(executor, 'SELECT DISTINCT order_id FROM token_returns WHERE order_id IN (?)', [withdrawalIds.map(moveIdOf)]);
  const known = new Set(rows.map((row) => text(row, 'order_id')));
  return new Set(withdrawalIds.filter((id) => known.has(moveIdOf(id))));
}

/** A withdrawal's id is its time and a UUID. */
const moveIdOf = (withdrawalId: string): string => withdrawalId.slice(withdrawalId.indexOf('-') + 1);
