import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createPool, type Pool } from 'mysql2/promise';
import type { ShopperToken } from '../../../src/auth/index.js';
import { findFreePort } from '../../../scripts/lib/ports.mjs';
import { startServices, type Services } from '../../../scripts/lib/services.mjs';
import { Api } from '../../harness/api.js';
import { until } from '../../harness/until.js';

export type Role = 'api' | 'worker' | 'scheduler';

/** Made at a time, since the command line takes a moment to start. */
const SPARE_SHOPPERS = 1000;
const ROOT = new URL('../../../', import.meta.url).pathname;
/** How long a process may take to start: three at once, beside whatever else a small machine does. */
const START_MS = 90_000;
const SETTINGS = { OPERATOR_USERNAME: 'operator', OPERATOR_PASSWORD: 'operator-demo', LOG_LEVEL: 'info', NODE_ENV: 'test', RETENTION_SECONDS: '3600', WEBHOOK_ALLOW_PRIVATE: '1' };

/** One process of the service, started again after each death as a supervisor would, but then without its fault. */
export class ServiceProcess {
  private child: ChildProcess | undefined;
  private wanted = true;
  /** How often it was killed from within or without; ends of its own count in `failures`. */
  deaths = 0;
  failures = 0;

  constructor(
    readonly name: string,
    readonly role: Role,
    readonly port: number,
    private readonly env: NodeJS.ProcessEnv,
    private readonly logFile: string,
  ) {}

  /** Starts it, with a fault (see inject.mjs) for this life only. */
  start(faults: NodeJS.ProcessEnv = {}): void {
    const log = openSync(this.logFile, 'a');
    const inject = new URL('./inject.mjs', import.meta.url).pathname;
    const child = spawn(process.execPath, ['--expose-gc', '--import', inject, 'dist/src/main.js'], {
      cwd: ROOT,
      env: { ...process.env, NODE_OPTIONS: '', ...this.env, ...faults },
      stdio: ['ignore', log, log],
    });
    this.child = child;
    child.once('exit', (_code, signal) => {
      if (signal === 'SIGKILL') this.deaths += 1;
      else if (this.wanted) this.failures += 1;
      if (this.wanted) setTimeout(() => this.wanted && this.start(), 300);
    });
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** kill -9; the supervisor brings it back. */
  kill(): void {
    this.child?.kill('SIGKILL');
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** What is alive in its heap once the garbage is collected, in bytes; undefined where it doesn't say (it may have died). */
  async liveHeap(): Promise<number | undefined> {
    const figures = async (): Promise<string[]> => (await readFile(this.logFile, 'utf8')).match(/^live heap \d+$/gm) ?? [];
    const before = (await figures()).length;
    this.signal('SIGUSR2');
    const said = await until('the heap to be measured', async () => (await figures())[before], 5000).catch(() => undefined);
    return said === undefined ? undefined : Number(said.split(' ')[2]);
  }

  /** The end of its log, for those who wonder why it ended. */
  async lastWords(): Promise<string> {
    return (await readFile(this.logFile, 'utf8')).split('\n').filter((line) => !line.startsWith('{"level":30')).slice(-8).join('\n');
  }

  async stop(): Promise<void> {
    this.wanted = false;
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const hard = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await once(child, 'exit');
    clearTimeout(hard);
  }
}

/** The whole service as real processes on private servers: API, workers and schedulers apart. */
export class Deployment {
  readonly processes: ServiceProcess[] = [];
  private spare: ShopperToken[] = [];
  private crowds = 0;
  api!: Api;
  operator!: Api;
  database!: Pool;
  redis!: Redis;

  private constructor(
    readonly services: Services,
    readonly dir: string,
  ) {}

  static async start(): Promise<Deployment> {
    const dir = await mkdtemp(join(process.env.TEST_DATA_DIR ?? tmpdir(), 'faults-'));
    const deployment = new Deployment(await startServices({ dataDir: dir, announce: false }), dir);
    deployment.database = createPool({ uri: deployment.services.databaseUrl, timezone: 'Z', connectionLimit: 4 });
    deployment.redis = new Redis(deployment.services.redisUrl, { maxRetriesPerRequest: null });
    deployment.redis.on('error', () => undefined);
    await deployment.command('migrate');
    return deployment;
  }

  /** Adds processes of a role; the first API answers `api`. */
  async add(role: Role, count = 1, faults: NodeJS.ProcessEnv = {}): Promise<ServiceProcess[]> {
    const added: ServiceProcess[] = [];
    for (let i = 0; i < count; i += 1) {
      const port = await findFreePort();
      const name = `${role}-${this.processes.filter((p) => p.role === role).length + 1}`;
      const service = new ServiceProcess(name, role, port, this.environment(role, port), join(this.dir, `${name}.log`));
      service.start(faults);
      this.processes.push(service);
      added.push(service);
    }
    for (const service of added) await this.ready(service);
    if (role === 'api') {
      this.api = new Api(`http://127.0.0.1:${added[0]?.port}/api`);
      await this.signInAgain();
    }
    return added;
  }

  /** Signs the operator in; sessions go with a wiped Redis. */
  async signInAgain(): Promise<void> {
    const { body } = await this.api.post('/auth/login', { username: SETTINGS.OPERATOR_USERNAME, password: SETTINGS.OPERATOR_PASSWORD });
    this.operator = this.api.as(body.token);
  }

  /** Runs the operator's command line and answers what it printed. @throws Error with its stderr when it fails */
  async command(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, ['dist/src/cli/main.js', ...args], {
      cwd: ROOT,
      env: { ...process.env, NODE_OPTIONS: '', ...this.environment('api', 0) },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (err += data.toString()));
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}${out}`);
    return out;
  }

  /** Signed-in test shoppers, new ones at each call; made by the command line, which no fault is put into. */
  async shoppers(count: number): Promise<ShopperToken[]> {
    if (this.spare.length < count) this.spare = await this.makeShoppers(Math.max(count, SPARE_SHOPPERS));
    return this.spare.splice(0, count);
  }

  /** Their sessions are gone from Redis: the next ones are made anew. */
  forgetShoppers(): void {
    this.spare = [];
  }

  private async makeShoppers(count: number): Promise<ShopperToken[]> {
    this.crowds += 1;
    const file = join(this.dir, `crowd${this.crowds}.csv`);
    await this.command('shoppers:create', '--count', String(count), '--prefix', `crowd${this.crowds}`, '--out', file);
    const [, ...lines] = (await readFile(file, 'utf8')).trim().split('\n');
    return lines.map((line) => {
      const [username = '', token = ''] = line.split(',');
      return { username, token };
    });
  }

  /** Ends all processes of the service; the servers and their data stay. */
  async stopProcesses(): Promise<void> {
    await Promise.all(this.processes.splice(0).map((service) => service.stop()));
  }

  async stop(): Promise<void> {
    await this.stopProcesses();
    this.redis.disconnect();
    await this.database.end();
    await this.services.stop();
    if (!process.env.KEEP_FAULT_LOGS) await rm(this.dir, { recursive: true, force: true });
  }

  private environment(role: Role, port: number): NodeJS.ProcessEnv {
    return { ...SETTINGS, ROLE: role, PORT: String(port), HOST: '127.0.0.1', DATABASE_URL: this.services.databaseUrl, REDIS_URL: this.services.redisUrl };
  }

  private async ready(service: ServiceProcess): Promise<void> {
    await until(`${service.name} to be ready`, async () => (await fetch(`http://127.0.0.1:${service.port}/health/ready`).catch(() => undefined))?.ok, START_MS);
  }
}
