import type { DataSource } from 'typeorm';

/** Orders that are written by SQL, as many as one likes, at one a millisecond. */
export interface OrdersPlan {
  saleId: string;
  count: number;
  /** the first one's `createdAt`, epoch milliseconds */
  fromMs: number;
  /** made for them, each with `count / users` of the orders; a name begins with `usernames` */
  users: number;
  usernames: string;
  title?: string;
}

/** Few enough for temporary tables to stay in memory. */
const CHUNK = 10_000;
const DIGITS = Array.from({ length: 10 }, (_, digit) => `SELECT ${digit} AS d`).join(' UNION ALL ');
/** 0 to 9,999, in a way that MySQL and MariaDB both know. */
const NUMBERS = `(SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS k
  FROM (${DIGITS}) a, (${DIGITS}) b, (${DIGITS}) c, (${DIGITS}) e) numbers`;
const uuid = (version: string): string => `CONCAT(SUBSTR(hex, 1, 8), '-', SUBSTR(hex, 9, 4), '-', '${version}', LPAD(LOWER(HEX(n % 4096)), 3, '0'), '-8', LPAD(LOWER(HEX(sale % 4096)), 3, '0'), '-', LPAD(LOWER(HEX(n)), 12, '0'))`;

/** Of a hundred orders one is refunded, two are expired, three cancelled and the others paid. They hold no units: for sales that do not run. */
export async function writeOrders(database: DataSource, plan: OrdersPlan): Promise<{ firstUserId: number }> {
  const { saleId, count, fromMs, users, usernames, title = 'Test goods' } = plan;
  const firstUserId = await writeUsers(database, usernames, users);
  for (let start = 0; start < count; start += CHUNK) {
    const rows = `(SELECT n, sale, LPAD(LOWER(HEX(${fromMs} + n)), 12, '0') AS hex FROM (SELECT k + ? AS n, CAST(? AS UNSIGNED) AS sale FROM ${NUMBERS} WHERE k + ? < ?) counted) numbered`;
    const bounds = [start, saleId, start, count];
    await database.query(
      `INSERT INTO orders (id, sale_id, shard, user_id, ticket_id, status, amount_minor, currency, created_at, pay_before, paid_at, closed_at)
       SELECT ${uuid('7')}, sale, 0, ? + n % ?, ${uuid('6')}, CASE WHEN n % 100 = 0 THEN 'refunded' WHEN n % 100 < 3 THEN 'expired' WHEN n % 100 < 6 THEN 'cancelled' ELSE 'paid' END,
              100, 'EUR', at, at + INTERVAL 15 MINUTE, IF(n % 100 = 0 OR n % 100 > 5, at, NULL), IF(n % 100 < 6, at, NULL)
         FROM (SELECT n, sale, hex, TIMESTAMP('1970-01-01 00:00:00') + INTERVAL (${fromMs} + n) * 1000 MICROSECOND AS at FROM ${rows}) dated ORDER BY n`,
      [firstUserId, users, ...bounds],
    );
    await database.query(
      `INSERT INTO order_lines (order_id, sale_item_id, goods_id, title, quantity, unit_price_minor) SELECT ${uuid('7')}, 1, 1, ?, 1, 100 FROM ${rows} ORDER BY n`,
      [title, ...bounds],
    );
  }
  return { firstUserId };
}

/** Consecutive ids: a single INSERT gets them in one go. */
async function writeUsers(database: DataSource, usernames: string, count: number): Promise<number> {
  const [row] = await database.query('SELECT COALESCE(MAX(id), 0) + 1 AS id FROM users');
  const first = Number(row.id);
  await database.query(
    `INSERT INTO users (id, username, password_hash, role, created_at) SELECT ? + k, CONCAT(?, k), '', 'shopper', UTC_TIMESTAMP(3) FROM ${NUMBERS} WHERE k < ?`,
    [first, usernames, count],
  );
  return first;
}
