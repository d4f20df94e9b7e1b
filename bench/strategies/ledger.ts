import { randomUUID } from 'node:crypto';
import type { Connection, Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { createPool } from 'mysql2/promise';
import type { Outcome } from './strategy.js';

/**
 * The tables of all techniques. `stock` is signed, so that a fault is seen and not refused; `lab_buyers` is for the techniques that have
 * the database itself refuse a second purchase; an order has a row per item.
 */
const TABLES = [
  `CREATE TABLE lab_items (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    stock INT NOT NULL,
    version INT UNSIGNED NOT NULL DEFAULT 0,
    PRIMARY KEY (id)
  ) ENGINE=InnoDB`,
  `CREATE TABLE lab_orders (
    id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    item_id BIGINT UNSIGNED NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    created_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id, item_id),
    KEY ix_lab_orders_buyer (item_id, user_id)
  ) ENGINE=InnoDB`,
  `CREATE TABLE lab_buyers (
    item_id BIGINT UNSIGNED NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (item_id, user_id)
  ) ENGINE=InnoDB`,
];

/** Makes the tables; they stay as long as the lab's private database. */
export async function createTables(pool: Pool): Promise<void> {
  for (const statement of TABLES) await pool.query(statement);
}

/** READ COMMITTED, as the service itself has it: newer servers would refuse the naive technique's lost update with an error. */
export function openPool(uri: string, connectionLimit: number): Pool {
  const pool = createPool({ uri, timezone: 'Z', connectionLimit });
  pool.pool.on('connection', (connection) => connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'));
  return pool;
}

/** Runs `work` in a transaction, which is kept only where a unit was sold. */
export async function inTransaction(pool: Pool, work: (connection: Connection) => Promise<Outcome>): Promise<Outcome> {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    const outcome = await work(connection);
    await (outcome === 'sold' ? connection.commit() : connection.rollback());
    return outcome;
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}

export async function readItem(on: Connection | Pool, itemId: string): Promise<{ stock: number; version: number }> {
  const [[row]] = await on.execute<RowDataPacket[]>('SELECT stock, version FROM lab_items WHERE id = ?', [itemId]);
  if (!row) throw new Error(`there is no item ${itemId}`);
  return { stock: Number(row.stock), version: Number(row.version) };
}

/** By ix_lab_orders_buyer. */
export async function hasBought(on: Connection | Pool, itemId: string, userId: string): Promise<boolean> {
  const [rows] = await on.execute<RowDataPacket[]>('SELECT 1 FROM lab_orders WHERE item_id = ? AND user_id = ? LIMIT 1', [itemId, userId]);
  return rows.length > 0;
}

export async function insertOrder(on: Connection, itemId: string, userId: string): Promise<void> {
  await on.execute('INSERT INTO lab_orders (id, item_id, user_id, created_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [randomUUID(), itemId, userId]);
}

/** How many rows a statement found and changed: databases do not throw where a condition fails, they change nothing. */
export async function change(on: Connection, sql: string, values: (string | number)[]): Promise<number> {
  const [result] = await on.execute<ResultSetHeader>(sql, values);
  return result.affectedRows;
}

/**
 * Looks, then takes, then writes back what it saw minus one. Right as long as nobody else does the same meanwhile: the naive technique
 * runs it as it is, the locks each in their way one at a time.
 *
 * @param isStillMine asked before the commit, for locks that may be lost
 */
export function readThenWrite(pool: Pool, userId: string, itemId: string, isStillMine = (): boolean => true): Promise<Outcome> {
  return inTransaction(pool, async (connection) => {
    const { stock } = await readItem(connection, itemId);
    if (stock <= 0) return 'sold_out';
    if (await hasBought(connection, itemId, userId)) return 'already_bought';
    await connection.execute('UPDATE lab_items SET stock = ? WHERE id = ?', [stock - 1, itemId]);
    await insertOrder(connection, itemId, userId);
    return isStillMine() ? 'sold' : 'busy';
  });
}
