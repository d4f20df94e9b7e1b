/**
 * The floors of the HTTP routes: what the same work costs where there is nothing but Fastify and the Redis client. They trust what they
 * are sent, count nothing and say nothing of what goes wrong; no service could be like this, and none can be much cheaper.
 */
import { fastify } from 'fastify';
import { Redis } from 'ioredis';
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { saleKeys } from '../../src/goods/sale-keys.js';
import { JOIN_LUA, joinArgs, joinKeys, runIdIn } from './join-call.js';

const redis = new Redis(process.env.REDIS_URL ?? '');
redis.defineCommand('join', { lua: JOIN_LUA });
const runId = runIdIn(await redis.info('server'));

interface JoinRequest {
  Params: { saleId: string };
  Body: { items: [{ itemId: string; quantity: number }] };
}
type JoinCommand = (keys: number, ...args: (string | number)[]) => Promise<[string, number]>;

async function userOf(authorization = ''): Promise<{ id: string }> {
  const key = createHash('sha256').update(authorization.slice('Bearer '.length)).digest('hex');
  return JSON.parse((await redis.get(`seckill:session:${key}`)) ?? 'null') as { id: string };
}

const app = fastify();

/** Floor (a): one session GET and the join script. */
app.post<JoinRequest>('/api/sales/:saleId/tickets', async (request, reply) => {
  const user = await userOf(request.headers.authorization);
  const ticketId = uuidv7();
  const target = { saleId: request.params.saleId, itemId: request.body.items[0].itemId, runId };
  const keys = joinKeys(target);
  const [outcome, position] = await (Reflect.get(redis, 'join') as JoinCommand).call(redis, keys.length, ...keys, ...joinArgs(target, ticketId, user.id));
  reply.code(outcome === 'QUEUED' ? 202 : 410);
  return { ticketId, status: 'queued', position, pollAfterMs: 1000 };
});

/** One HMGET: what a poll of the ticket can't do without. */
app.get<{ Params: { saleId: string } }>('/api/sales/:saleId/ticket', async (request) => {
  const [served, rate] = await redis.hmget(saleKeys.sale({ saleId: request.params.saleId, shard: 0 }), 'served', 'rate');
  return { ticketId: '00000000-0000-7000-8000-000000000000', status: 'queued', position: Number(served) + 1, etaSeconds: Number(rate), pollAfterMs: 1000 };
});

/** Floor (d): a constant. */
app.get('/constant', async () => ({ status: 'constant' }));
app.post('/constant', async () => ({ status: 'constant' }));

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.once('SIGTERM', () => process.exit(0));
