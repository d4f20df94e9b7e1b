import type { Pool } from 'mysql2/promise';
import { change, inTransaction, insertOrder, readItem } from '../ledger.js';
import { onlyItem, type Outcome, type StrategyFactory } from '../strategy.js';

/**
 * A key that refuses a second purchase locks the gap before it, and two gaps that wait for each other are a deadlock. It says nothing about
 * the stock: the whole transaction is done again.
 */
const ATTEMPTS = 5;

/** Article 4's other optimistic lock: the condition stands in the UPDATE itself, so nobody has to try twice. */
export const conditionalUpdate: StrategyFactory = ({ pool }) => ({
  async buy(userId, itemIds) {
    const itemId = onlyItem(itemIds);
    // Spares those who come too late a transaction; the decision is the UPDATE's.
    if ((await readItem(pool, itemId)).stock <= 0) return 'sold_out';
    return takeInDatabase(pool, userId, itemId);
  },
});

/**
 * Buyer, order, unit: any of them missing undoes all. The row that everybody wants comes last, since it is locked until the commit.
 * A second purchase meets the key of `lab_buyers`.
 */
export async function takeInDatabase(pool: Pool, userId: string, itemId: string): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await takeOnce(pool, userId, itemId);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ER_DUP_ENTRY') return 'already_bought';
      if (code !== 'ER_LOCK_DEADLOCK' || attempt === ATTEMPTS) throw error;
    }
  }
}

function takeOnce(pool: Pool, userId: string, itemId: string): Promise<Outcome> {
  return inTransaction(pool, async (connection) => {
    await connection.execute('INSERT INTO lab_buyers (item_id, user_id) VALUES (?, ?)', [itemId, userId]);
    await insertOrder(connection, itemId, userId);
    const changed = await change(connection, 'UPDATE lab_items SET stock = stock - 1 WHERE id = ? AND stock >= 1', [itemId]);
    return changed === 1 ? 'sold' : 'sold_out';
  });
}
