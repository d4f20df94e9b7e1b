import type { Shop } from '../harness/shop.js';

/** Tables that get rows by themselves, rehearsals apart, as long as other sales run. */
const GROW = ['rehearsals', 'sale_samples'];

/** Rows of every table but `rehearsals` and the samples (of a shadow sale none is taken), and what Redis knows besides the signals of its queues, which end by themselves. */
export async function traces(shop: Shop): Promise<Record<string, number | string>> {
  const tables: { name: string }[] = await shop.database.query(`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()`);
  const counts: Record<string, number | string> = {};
  for (const { name } of tables) {
    if (GROW.includes(name)) continue;
    const [{ rows }] = await shop.database.query(`SELECT COUNT(*) AS \`rows\` FROM \`${name}\``);
    counts[name] = Number(rows);
  }
  const keys = (await shop.redis.keys('*')).filter((key) => !/^(\{seckill-bull\}|seckill:lock:)/.test(key));
  return { ...counts, keys: keys.sort().join('\n') };
}
