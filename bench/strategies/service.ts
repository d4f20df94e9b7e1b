import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { RowDataPacket } from 'mysql2/promise';
import { findFreePort } from '../../scripts/lib/ports.mjs';
import type { Books, Contestant, OpenSale } from './contestant.js';
import type { Bench } from './technique-contestant.js';
import { until } from './until.js';

type Role = 'api' | 'worker,scheduler';
interface Json { [field: string]: unknown }

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OPERATOR = { OPERATOR_USERNAME: 'operator', OPERATOR_PASSWORD: 'strategies-lab' };
const [START_MS, SETTLE_MS, STOP_MS] = [120_000, 15_000, 10_000];

/** This service as it runs in earnest: one process for the shoppers, one for the work behind them. */
export class Service {
  private readonly processes: ChildProcess[] = [];
  private base = '';
  private token = '';

  constructor(
    private readonly bench: Bench,
    private readonly dir: string,
  ) {}

  get pids(): number[] {
    return this.processes.map(({ pid }) => pid ?? 0);
  }

  /** Makes the tables, and as many signed-in shoppers. */
  async prepare(shoppers: number): Promise<string[]> {
    await this.command('migrate');
    const file = join(this.dir, 'tokens.csv');
    await this.command('shoppers:create', '--count', String(shoppers), '--out', file);
    const [, ...lines] = (await readFile(file, 'utf8')).trimEnd().split('\n');
    return lines.map((line) => line.split(',')[1] ?? '');
  }

  async start(): Promise<void> {
    const [api, worker] = await Promise.all([this.spawn('api'), this.spawn('worker,scheduler')]);
    this.base = `${api}/api`;
    await Promise.all([api, worker].map((address) => until(`${address} to be ready`, START_MS, () => this.isReady(address))));
    const { token } = await this.call('POST', '/auth/login', { username: OPERATOR.OPERATOR_USERNAME, password: OPERATOR.OPERATOR_PASSWORD });
    this.token = String(token);
  }

  /** The service as a contestant in one of its modes. */
  inMode(mode: 'queue' | 'instant'): Contestant {
    const openSale = (stock: number): Promise<OpenSale> => this.openSale(mode, stock);
    return { name: `service-${mode}`, title: `this service, ${mode}`, source: 'article 3, this service', ordersIn: 'MySQL', expects: 'right', pids: this.pids, openSale };
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((child) => new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      child.once('exit', () => {
        clearTimeout(hard);
        resolve();
      });
      child.kill('SIGTERM');
    })));
  }

  /** @throws when a process has ended, as it will then never be ready */
  private async isReady(address: string): Promise<boolean> {
    const ended = this.processes.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
    if (ended) throw new Error(`the service ended while starting, with ${ended.exitCode ?? ended.signalCode}; is it built?`);
    return (await fetch(`${address}/health/ready`).catch(() => undefined))?.ok ?? false;
  }

  private async openSale(mode: string, stock: number): Promise<OpenSale> {
    const goods = await this.call('POST', '/admin/goods', { title: 'Lab goods', listPriceMinor: 1000, currency: 'EUR' });
    const window = { startsAt: new Date(Date.now() - 1000).toISOString(), endsAt: new Date(Date.now() + 3_600_000).toISOString() };
    const items = [{ goodsId: goods.id, priceMinor: 100, stock, limitPerUser: 1 }];
    const sale = await this.call('POST', '/admin/sales', { title: 'Lab sale', ...window, mode, items });
    const [saleId, itemId] = [String(sale.id), String((sale.items as Json[])[0]?.id)];
    await this.call('POST', `/admin/sales/${saleId}/publish`);
    return {
      url: `${this.base}/sales/${saleId}/tickets`,
      body: JSON.stringify({ items: [{ itemId, quantity: 1 }] }),
      settle: () => this.settle(saleId, itemId, stock),
      books: () => this.books(saleId, itemId),
    };
  }

  /** By the database's own figure, which costs the service nothing; what is left in line after that is told "sold out". */
  private async settle(saleId: string, itemId: string, stock: number): Promise<number> {
    const isRight = until('the last unit to be sold', SETTLE_MS, async () => (await this.books(saleId, itemId, false)).counter >= stock);
    await isRight.catch(() => undefined); // The books will show it.
    const soldAt = performance.now();
    await until('the line to be empty', SETTLE_MS, async () => {
      const stats = await this.call('GET', `/admin/sales/${saleId}/stats`);
      return Number(stats.waiting) + Number(stats.claimed) === 0;
    });
    return soldAt;
  }

  private async books(saleId: string, itemId: string, withProof = true): Promise<Books> {
    const sql = `SELECT COUNT(*) AS sold, COUNT(*) - COUNT(DISTINCT h.user_id) AS duplicates, (SELECT sold FROM sale_items WHERE id = ?) AS counted
                   FROM held_tokens h WHERE h.sale_item_id = ? AND h.order_id IS NOT NULL`;
    const [[row]] = await this.bench.pool.execute<RowDataPacket[]>(sql, [itemId, itemId]);
    const books = { sold: Number(row?.sold), counter: Number(row?.counted), duplicates: Number(row?.duplicates), odd: [] };
    return withProof ? this.proven(saleId, books) : books;
  }

  private async proven(saleId: string, books: Books): Promise<Books> {
    const proof = await this.call('GET', `/admin/sales/${saleId}/proof`);
    const inList = Number((proof.items as Json[])[0]?.inList);
    return { ...books, counter: inList, odd: proof.ok === true ? [] : ['the proof is not ok'] };
  }

  private async spawn(role: Role): Promise<string> {
    const port = await findFreePort();
    const log = openSync(join(this.dir, `service-${role}.log`), 'a');
    const child = spawn(process.execPath, ['dist/src/main.js'], { cwd: ROOT, env: this.environment(role, port), stdio: ['ignore', log, log] });
    closeSync(log);
    this.processes.push(child);
    return `http://127.0.0.1:${port}`;
  }

  private async command(...args: string[]): Promise<void> {
    await promisify(execFile)(process.execPath, ['dist/src/cli/main.js', ...args], { cwd: ROOT, env: this.environment('api', 0) });
  }

  private environment(role: Role, port: number): NodeJS.ProcessEnv {
    const stores = { DATABASE_URL: this.bench.databaseUrl, REDIS_URL: this.bench.redisUrl };
    return { ...process.env, ...OPERATOR, ...stores, ROLE: role, PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'warn', DEMO: '0' };
  }

  private async call(method: string, path: string, body?: object): Promise<Json> {
    const headers = { authorization: `Bearer ${this.token}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${this.base}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const answer = (await response.json()) as Json;
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  }
}
