import { readThenWrite } from '../ledger.js';
import { onlyItem, type StrategyFactory } from '../strategy.js';

/** Article 4 before any remedy: look whether there is stock, then take. All who look at the same time take the same unit. */
export const naive: StrategyFactory = ({ pool }) => ({
  buy: (userId, itemIds) => readThenWrite(pool, userId, onlyItem(itemIds)),
});
