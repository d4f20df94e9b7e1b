import type { Shop, TestSale } from './shop.js';

/** What MySQL knows of a sale: the truth that load tests are judged by. */
export interface Books {
  /** Units held by live orders, counted from the held tokens. */
  heldUnits: number;
  /** The `sold` counters of the items, added up. */
  sold: number;
  /** Orders by status. */
  orders: Record<string, number>;
  /** Users with at least one live order. */
  users: number;
  /** Most units of one item that one user holds. */
  mostUnits: number;
  /** Stock lists in Redis, added up. */
  inList: number;
}

/** Reads the books of a sale. */
export async function booksOf(shop: Shop, sale: TestSale): Promise<Books> {
  const rows = (sql: string): Promise<Record<string, unknown>[]> => shop.database.query(sql, [sale.id]);
  const [held] = await rows(
    `SELECT COUNT(*) AS units, COUNT(DISTINCT h.user_id) AS users FROM held_tokens h JOIN sale_items i ON i.id = h.sale_item_id
      WHERE i.sale_id = ? AND h.order_id IS NOT NULL`,
  );
  const [most] = await rows(
    `SELECT COALESCE(MAX(units), 0) AS units FROM (
       SELECT COUNT(*) AS units FROM held_tokens h JOIN sale_items i ON i.id = h.sale_item_id
        WHERE i.sale_id = ? AND h.user_id IS NOT NULL GROUP BY h.sale_item_id, h.user_id) AS per_user`,
  );
  const [items] = await rows('SELECT SUM(sold) AS sold FROM sale_items WHERE sale_id = ?');
  const orders = await rows('SELECT status, COUNT(*) AS orders FROM orders WHERE sale_id = ? GROUP BY status');
  const proof = await shop.proof(sale);
  return {
    heldUnits: Number(held?.units),
    users: Number(held?.users),
    mostUnits: Number(most?.units),
    sold: Number(items?.sold),
    orders: Object.fromEntries(orders.map((row) => [String(row.status), Number(row.orders)])),
    inList: proof.items.reduce((sum: number, item: { inList: number }) => sum + item.inList, 0),
  };
}
