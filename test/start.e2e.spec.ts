import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from './harness/api.js';
import { ok } from './harness/shop.js';
import { until } from './harness/until.js';

const ROOT = new URL('..', import.meta.url).pathname;

/** `npm start` with a data folder and ports of its own. */
class Started {
  output = '';
  private readonly child: ChildProcess;

  constructor(env: NodeJS.ProcessEnv) {
    this.child = spawn('npm', ['start'], { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.child.stdout?.on('data', (data: Buffer) => (this.output += data.toString()));
    this.child.stderr?.on('data', (data: Buffer) => (this.output += data.toString()));
  }

  async ready(): Promise<void> {
    await until('npm start to be ready', () => this.output.includes('Ready:') || this.child.exitCode !== null, 90_000);
    if (this.child.exitCode !== null) throw new Error(this.output);
  }

  /** Stops it as a supervisor would and answers its exit code. */
  async stop(): Promise<number | null> {
    if (this.child.exitCode === null) this.child.kill('SIGTERM');
    return this.end();
  }

  /** Stops it as a terminal does, which tells the whole group. */
  async pressCtrlC(): Promise<number | null> {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGINT');
    return this.end();
  }

  private async end(): Promise<number | null> {
    if (this.child.exitCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }
}

describe('npm start', () => {
  let dataDir: string;
  let env: NodeJS.ProcessEnv;
  let service: Started | undefined;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(process.env.TEST_DATA_DIR ?? tmpdir(), 'start-'));
    const [PORT, MYSQL_PORT, REDIS_PORT] = await Promise.all([freePort(), freePort(), freePort()]);
    env = { PORT, MYSQL_PORT, REDIS_PORT, DATA_DIR: dataDir, DEMO: '1', LOG_LEVEL: 'warn', DATABASE_URL: '', REDIS_URL: '' };
  });
  afterAll(async () => {
    await service?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('sells from sign-up to the paid order, and a restart in the middle keeps everything', async () => {
    service = new Started(env);
    await service.ready();
    const stranger = new Api(`http://127.0.0.1:${env.PORT}/api`);
    const { body: signedUp } = ok(await stranger.post('/auth/register', { username: 'ada', password: 'correct-horse' }), 201);
    const shopper = stranger.as(signedUp.token);
    const sale = await until('the demo sale to open', async () => (await shopper.get('/sales?state=live')).body.sales[0], 60_000);
    ok(await shopper.post(`/sales/${sale.id}/tickets`, { items: [{ itemId: sale.items[0].id, quantity: 1 }] }), 202);
    const ticket = await until('the order', async () => {
      const { body } = await shopper.get(`/sales/${sale.id}/ticket`);
      return body.status === 'awaiting_payment' && body;
    });

    expect(await service.stop()).toBe(0);
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
    service = new Started(env);
    await service.ready();

    expect(ok(await shopper.get('/auth/me'), 200).body).toMatchObject({ username: 'ada', role: 'shopper' });
    await until('the ticket after the restart', async () => (await shopper.get(`/sales/${sale.id}/ticket`)).body.orderId === ticket.orderId);
    ok(await shopper.post(`/orders/${ticket.orderId}/pay`), 200);
    await until('the order to be paid', async () => (await shopper.get(`/orders/${ticket.orderId}`)).body.status === 'paid');
    expect(await service.stop()).toBe(0);
  }, 240_000);

  it('has the command line find the service by its data folder alone, and ends on Ctrl-C saying so', async () => {
    service = new Started({ ...env, LOG_LEVEL: 'info' });
    await service.ready();
    const printed = await run(['run', '--silent', 'seckill', '--', 'demo'], { ...env, PORT: '', MYSQL_PORT: '', REDIS_PORT: '' });
    expect(printed).toContain(`http://127.0.0.1:${env.PORT}/api/sales/`);
    expect(printed).not.toContain(':3000');
    const rehearsed = JSON.parse(await run(['run', '--silent', 'seckill', '--', 'rehearse', '--shoppers', '60', '--stock', '20', '--json'], { ...env, PORT: '' }));
    expect(rehearsed).toMatchObject({ state: 'passed', report: { proofOk: true, joins: 60, sold: 20, soldOut: 40 } });
    expect(await run(['run', '--silent', 'demo', '--', '--shoppers', '20', '--seconds', '2'], { ...env, PORT: '' })).toContain(`http://127.0.0.1:${env.PORT}/ops/sales/`);

    expect(await service.pressCtrlC()).toBe(0);
    expect(service.output).toContain('"signal":"SIGINT"');
    expect(service.output).not.toContain('"signal":"SIGTERM"');
  }, 240_000);
});

/** Runs npm to its end, and answers what it wrote to stdout. */
async function run(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('npm', args, { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '', ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await once(child, 'close');
  return output;
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}
