import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/lib/ports.mjs';
import { startRedisNode, type RedisNode } from '../../scripts/lib/services.mjs';
import { freshServices } from '../harness/services.js';
import { until } from '../harness/until.js';

/** Stands before a real Redis and gives out its version as an older one of the same length. */
async function disguise(redis: RedisNode, from: string, to: string): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect(redis.port, '127.0.0.1');
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => client.write(Buffer.from(chunk.toString('latin1').replace(`redis_version:${from}`, `redis_version:${to}`), 'latin1')));
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The built service, with what it writes. */
async function startService(redisUrl: string): Promise<{ said: () => string; exit: Promise<number>; stop: () => Promise<unknown> }> {
  const { databaseUrl } = await freshServices();
  const env = { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'test', PORT: String(await findFreePort()), DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, ['dist/src/main.js'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exit = once(child, 'exit').then(([code]) => Number(code));
  const stop = (): Promise<unknown> => {
    child.kill('SIGTERM');
    return exit;
  };
  return { said: () => output, exit, stop };
}

describe('a Redis that does not fit', () => {
  let folder: string;
  let redis: RedisNode;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seckill-fitness-'));
  });
  afterEach(async () => {
    await redis?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('because it is too old for the scripts is refused at the start, with the version that is needed', async () => {
    redis = await startRedisNode({ dataDir: folder });
    const version = await versionOf(redis);
    const old = await disguise(redis, version, `5.${'0'.repeat(version.length - 4)}.9`);
    try {
      const service = await startService(`redis://127.0.0.1:${(old.address() as AddressInfo).port}`);
      expect(await service.exit).toBe(1);
      expect(service.said()).toMatch(/Redis 5\.0+\.9 is too old: 6\.2 or later is needed/);
    } finally {
      old.close();
    }
  });

  it('because it evicts keys, or keeps none, is told of in the log', async () => {
    redis = await startRedisNode({ dataDir: folder, extraArgs: ['--maxmemory', '1gb', '--maxmemory-policy', 'allkeys-lru', '--appendonly', 'no'] });
    const service = await startService(redis.url);
    try {
      await until('the service to be ready', () => service.said().includes('"msg":"ready"'), 30_000);
      expect(service.said()).toContain('throws keys away when its memory is full');
      expect(service.said()).toContain('keeps no append-only file');
    } finally {
      await service.stop();
    }
  });

  it('is the only one spoken of: one that fits is not', async () => {
    redis = await startRedisNode({ dataDir: folder });
    const service = await startService(redis.url);
    try {
      await until('the service to be ready', () => service.said().includes('"msg":"ready"'), 30_000);
      expect(service.said()).not.toMatch(/this Redis/);
    } finally {
      await service.stop();
    }
  });
});

async function versionOf(redis: RedisNode): Promise<string> {
  const socket = connect(redis.port, '127.0.0.1');
  socket.write('INFO server\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return /redis_version:([\d.]+)/.exec(answer.toString())?.[1] ?? '';
}
