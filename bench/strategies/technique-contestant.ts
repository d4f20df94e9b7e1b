import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import type { Redis } from 'ioredis';
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { Books, Contestant, Expectation, OpenSale } from './contestant.js';
import type { Serving } from './server.js';
import type { Technique } from './techniques/index.js';

/** The servers that all of them use, and the lab's own connections to them. */
export interface Bench {
  pool: Pool;
  redis: Redis;
  databaseUrl: string;
  redisUrl: string;
  lockUrls: string[];
}

/** For a busy machine, on which all of them start at once. */
const START_MS = 120_000;
/** The same language as this very file, however it is run; its flags go with it. */
const PROGRAM = new URL(`server${extname(import.meta.url)}`, import.meta.url);

/** A technique in a server process of its own. */
export class TechniqueContestant implements Contestant {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly ordersIn: 'MySQL' | 'Redis';
  readonly expects: Expectation;

  private constructor(
    private readonly technique: Technique,
    private readonly bench: Bench,
    private readonly child: ChildProcess,
    private readonly serving: Serving,
  ) {
    ({ name: this.name, title: this.title, source: this.source, expects: this.expects } = technique);
    this.ordersIn = technique.buyersKey ? 'Redis' : 'MySQL';
  }

  get pids(): number[] {
    return this.serving.pids;
  }

  static async start(technique: Technique, bench: Bench): Promise<TechniqueContestant> {
    const settings = {
      LAB_TECHNIQUE: technique.name, LAB_PROCESSES: String(technique.processes ?? 1), NODE_ENV: 'production',
      LAB_DATABASE_URL: bench.databaseUrl, LAB_REDIS_URL: bench.redisUrl, LAB_LOCK_URLS: bench.lockUrls.join(','),
    };
    const child = fork(PROGRAM, { env: { ...process.env, ...settings } });
    const failed = once(child, 'exit').then(() => Promise.reject(new Error(`the server of ${technique.name} ended while starting`)));
    const [serving] = (await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(START_MS) }), failed])) as [Serving];
    failed.catch(() => undefined); // It ends one day.
    return new TechniqueContestant(technique, bench, child, serving);
  }

  async openSale(stock: number): Promise<OpenSale> {
    const itemIds: string[] = [];
    for (let n = 0; n < (this.technique.itemsPerBasket ?? 1); n += 1) {
      const [inserted] = await this.bench.pool.execute<ResultSetHeader>('INSERT INTO lab_items (stock) VALUES (?)', [stock]);
      itemIds.push(String(inserted.insertId));
    }
    await this.control('load', { itemIds, stock });
    return {
      url: `${this.base}/api/sales/${itemIds[0]}/tickets`,
      body: JSON.stringify({ items: itemIds.map((itemId) => ({ itemId, quantity: 1 })) }),
      settle: async () => {
        await this.control('settle', {});
        return performance.now();
      },
      books: () => this.books(itemIds),
    };
  }

  stop(): void {
    this.child.kill('SIGTERM');
  }

  private get base(): string {
    return `http://127.0.0.1:${this.serving.port}`;
  }

  private async control(path: string, body: object): Promise<void> {
    const response = await fetch(`${this.base}/${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${this.name}: ${path} answered ${response.status}`);
  }

  /** Of a basket with several items, the first counts, and the others must agree with it. */
  private async books(itemIds: string[]): Promise<Books> {
    const [first, ...others] = await Promise.all(itemIds.map(async (itemId) => ({ ...(await this.ordersOf(itemId)), counter: await this.counterOf(itemId, itemIds) })));
    if (!first) throw new Error('a sale without items');
    const isWhole = others.every(({ sold, counter }) => sold === first.sold && counter === first.counter);
    return { ...first, odd: isWhole ? [] : ['baskets that are not whole'] };
  }

  /** A set in Redis has nobody twice; units too many show in the number of its members. */
  private async ordersOf(itemId: string): Promise<{ sold: number; duplicates: number }> {
    const buyersKey = this.technique.buyersKey?.(itemId);
    if (buyersKey !== undefined) return { sold: await this.bench.redis.scard(buyersKey), duplicates: 0 };
    const sql = 'SELECT COUNT(*) AS sold, COUNT(*) - COUNT(DISTINCT user_id) AS duplicates FROM lab_orders WHERE item_id = ?';
    const [[orders]] = await this.bench.pool.execute<RowDataPacket[]>(sql, [itemId]);
    return { sold: Number(orders?.sold), duplicates: Number(orders?.duplicates) };
  }

  private async counterOf(itemId: string, [firstItemId = '']: string[]): Promise<number> {
    const counterKey = this.technique.counterKey?.(itemId, firstItemId);
    if (counterKey !== undefined) return Number(await this.bench.redis.get(counterKey));
    const [[item]] = await this.bench.pool.execute<RowDataPacket[]>('SELECT stock FROM lab_items WHERE id = ?', [itemId]);
    return Number(item?.stock);
  }
}
