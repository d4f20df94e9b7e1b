/**
 * The server of one technique: bare Fastify, the service's own sessions, a pool as large as the service's. Forked by the lab, which tells
 * it by environment what to be, and hears from it which port and processes to look at.
 */
import cluster from 'node:cluster';
import { createHash } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { Redis } from 'ioredis';
import { openPool } from './ledger.js';
import type { Outcome, Strategy } from './strategy.js';
import { until } from './until.js';
import { techniqueNamed } from './techniques/index.js';

/** What a server tells the lab once it serves. */
export interface Serving {
  port: number;
  pids: number[];
}

const POOL_SIZE = 16;
/** How long purchases may go on whose shoppers the lab has sent home. */
const SETTLE_MS = 15_000;
const STATUS: Record<Outcome, number> = { sold: 201, sold_out: 410, already_bought: 409, busy: 503 };
const BASKET = {
  type: 'object',
  required: ['items'],
  properties: { items: { type: 'array', minItems: 1, maxItems: 10, items: { type: 'object', required: ['itemId', 'quantity'], properties: { itemId: { type: 'string', pattern: '^[1-9]\\d*$' }, quantity: { const: 1 } } } } },
};
const env = (name: string): string => process.env[name] ?? '';

/** The service's own answer to the question who this is: one GET by the hash of the token. */
async function userOf(redis: Redis, authorization: string | undefined): Promise<string | undefined> {
  const token = authorization?.slice('Bearer '.length) ?? '';
  const json = await redis.get(`seckill:session:${createHash('sha256').update(token).digest('hex')}`);
  return json === null ? undefined : (JSON.parse(json) as { id: string }).id;
}

function createServer(strategy: Strategy, redis: Redis): FastifyInstance {
  const app = Fastify();
  let underWay = 0;
  app.addHook('onError', async (_request, _reply, error) => void process.stderr.write(`${env('LAB_TECHNIQUE')}: ${error.message}\n`));
  app.post<{ Body: { items: { itemId: string }[] } }>('/api/sales/:saleId/tickets', { schema: { body: BASKET } }, async (request, reply) => {
    const userId = await userOf(redis, request.headers.authorization);
    if (userId === undefined) return reply.code(401).send({ code: 'UNAUTHENTICATED' });
    underWay += 1;
    const outcome = await strategy.buy(userId, request.body.items.map(({ itemId }) => itemId)).finally(() => (underWay -= 1));
    return reply.code(STATUS[outcome]).send({ outcome });
  });
  app.post<{ Body: { itemIds: string[]; stock: number } }>('/load', async (request) => {
    await strategy.load?.(request.body.itemIds, request.body.stock);
    return {};
  });
  app.post('/settle', async () => {
    await until('the purchases under way', SETTLE_MS, async () => underWay === 0);
    await strategy.settle?.();
    return {};
  });
  return app;
}

async function serve(): Promise<number> {
  const redis = new Redis(env('LAB_REDIS_URL'));
  const stores = { pool: openPool(env('LAB_DATABASE_URL'), POOL_SIZE), redis, redisUrl: env('LAB_REDIS_URL'), lockUrls: env('LAB_LOCK_URLS').split(',') };
  const app = createServer(techniqueNamed(env('LAB_TECHNIQUE')).create(stores), redis);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return Number(new URL(address).port);
}

/** Several processes behind one port, each with a share of the connections. */
async function serveAsMany(processes: number): Promise<Serving> {
  const workers = Array.from({ length: processes }, () => cluster.fork());
  const ports = await Promise.all(workers.map((worker) => new Promise<number>((resolve) => worker.once('listening', (address: { port: number }) => resolve(address.port)))));
  return { port: ports[0] ?? 0, pids: [process.pid, ...workers.map((worker) => worker.process.pid ?? 0)] };
}

// Whoever started it is gone, or is done with it. Nothing here outlives the lab.
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
const processes = Number(env('LAB_PROCESSES') || '1');
if (cluster.isPrimary && processes > 1) process.send?.(await serveAsMany(processes));
else if (cluster.isPrimary) process.send?.({ port: await serve(), pids: [process.pid] } satisfies Serving);
else await serve();
