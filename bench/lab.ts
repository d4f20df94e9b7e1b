import { Redis } from 'ioredis';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPool, type Pool } from 'mysql2/promise';
import { Operator, type BenchSale, type SalePlan } from './operator.js';
import { CORES, NodeProcess, pin } from './processes.js';
import { freePort, until } from './wait.js';

const SERVICE = 'dist/src/main.js';
const CLI = 'dist/src/cli/main.js';
const FLOOR = 'bench/dist/bench/floors/http.js';
const PASSWORD = 'only-for-this-run';

/** A process that answers HTTP on the loopback. */
export interface Answering {
  base: string;
  process: NodeProcess;
}

/** The servers, the service's processes and the floors of one run of the benchmark. */
export class Lab {
  private readonly started: NodeProcess[] = [];
  private crowds = 0;
  readonly redis: Redis;
  readonly database: Pool;
  api!: Answering;
  floor!: Answering;
  operator!: Operator;
  /** Tokens of distinct shoppers, from the token file. */
  tokens: string[] = [];

  private constructor(
    private readonly dir: string,
    readonly redisUrl: string,
    readonly databaseUrl: string,
    readonly redisPid: number,
    readonly mysqlPid: number,
    private readonly nodeArgs: string[],
  ) {
    this.redis = new Redis(redisUrl);
    this.database = createPool({ uri: databaseUrl, timezone: 'Z', connectionLimit: 16 });
  }

  /** Starts the API process and the floors, on the servers that scripts/bench.mjs has started. @param nodeArgs for Node, e.g. to profile the processes that are measured */
  static async open(nodeArgs: string[] = []): Promise<Lab> {
    const { BENCH_DIR, BENCH_PIDS, REDIS_URL, DATABASE_URL } = process.env;
    if (!BENCH_DIR || !BENCH_PIDS || !REDIS_URL || !DATABASE_URL) throw new Error('start this with npm run bench');
    const [redisPid = 0, mysqlPid = 0] = BENCH_PIDS.split(',').map(Number);
    const lab = new Lab(BENCH_DIR, REDIS_URL, DATABASE_URL, redisPid, mysqlPid, nodeArgs);
    for (const pid of [process.pid, redisPid, mysqlPid]) pin(pid, CORES?.others);
    try {
      [lab.api, lab.floor] = await Promise.all([lab.startService('api', CORES?.tested), lab.startFloor()]);
      lab.operator = await Operator.signIn(lab.api.base, 'operator', PASSWORD);
      return lab;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  /** One more process of the service. */
  async startService(role: 'api' | 'worker' | 'scheduler', cores: string | undefined): Promise<Answering> {
    const port = await freePort();
    return this.start(role, '/health/ready', {
      program: SERVICE, nodeArgs: this.nodeArgs, cores,
      env: { ...this.settings(), ROLE: role, PORT: String(port) },
    }, port);
  }

  private async startFloor(): Promise<Answering> {
    const port = await freePort();
    return this.start('floor', '/constant', { program: FLOOR, nodeArgs: this.nodeArgs, cores: CORES?.tested, env: { REDIS_URL: this.redisUrl, PORT: String(port) } }, port);
  }

  private async start(name: string, readyPath: string, plan: Omit<Parameters<typeof NodeProcess.start>[0], 'logFile'>, port: number): Promise<Answering> {
    const logFile = join(this.dir, `${name}.log`);
    const process = NodeProcess.start({ ...plan, logFile });
    this.started.push(process);
    const base = `http://127.0.0.1:${port}`;
    await until(`${name} to answer`, async () => {
      if (!process.isRunning) throw new Error(`${name} ended: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
      return (await fetch(`${base}${readyPath}`).catch(() => undefined))?.ok;
    });
    return { base, process };
  }

  async stopService({ process }: Answering): Promise<void> {
    await process.stop();
    this.started.splice(this.started.indexOf(process), 1);
  }

  /** Has the operator's command line make signed-in shoppers, as many as are wanted in all, and reads their tokens from its file. */
  async needShoppers(count: number): Promise<void> {
    if (this.tokens.length >= count) return;
    const file = join(this.dir, `tokens-${(this.crowds += 1)}.csv`);
    await promisify(execFile)(process.execPath, [CLI, 'shoppers:create', '--count', String(count), '--out', file], { env: { ...process.env, ...this.settings() } });
    const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
    this.tokens = lines.map((line) => line.split(',')[1] ?? '');
  }

  sale(plan: SalePlan): Promise<BenchSale> {
    return this.operator.sale(plan);
  }

  async close(): Promise<void> {
    for (const process of this.started.reverse()) await process.stop();
    this.redis.disconnect();
    await this.database.end();
  }

  private settings(): NodeJS.ProcessEnv {
    return {
      NODE_ENV: 'production', HOST: '127.0.0.1', LOG_LEVEL: 'warn', DEMO: '0', RETENTION_SECONDS: '3600',
      OPERATOR_USERNAME: 'operator', OPERATOR_PASSWORD: PASSWORD, PAYMENT_SECRET: PASSWORD, PASS_SECRET: PASSWORD,
      DATABASE_URL: this.databaseUrl, REDIS_URL: this.redisUrl,
    };
  }
}
