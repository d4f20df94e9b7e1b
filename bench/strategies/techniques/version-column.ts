import { change, hasBought, inTransaction, insertOrder, readItem } from '../ledger.js';
import { onlyItem, type StrategyFactory } from '../strategy.js';

/**
 * Article 4's optimistic lock with a version, without a retry: who is overtaken between look and write changes no row and goes empty-handed.
 * The version is read before the orders are looked at, so that the second click of a shopper fails at one or the other.
 */
export const versionColumn: StrategyFactory = ({ pool }) => ({
  buy(userId, itemIds) {
    const itemId = onlyItem(itemIds);
    return inTransaction(pool, async (connection) => {
      const { stock, version } = await readItem(connection, itemId);
      if (stock <= 0) return 'sold_out';
      if (await hasBought(connection, itemId, userId)) return 'already_bought';
      const sql = 'UPDATE lab_items SET stock = stock - 1, version = version + 1 WHERE id = ? AND version = ?';
      if ((await change(connection, sql, [itemId, version])) === 0) return 'busy';
      await insertOrder(connection, itemId, userId);
      return 'sold';
    });
  },
});
