import type { Answer } from '../harness/api.js';
import type { Shop } from '../harness/shop.js';

const TABLES = [
  'users', 'goods', 'sales', 'sale_items', 'orders', 'order_lines', 'held_tokens', 'token_returns', 'order_events', 'payments', 'sale_audit',
  'webhook_endpoints', 'webhook_deliveries',
];
/** Of a shard's `sale` hash: what a drain writes while it looks for work, whoever woke it. */
const DRAIN_MARKS = ['drainId', 'leaseUntilMs', 'waking', 'rate', 'claimedAtMs'];
/** And what a refused join leaves there on purpose: when a unit was last asked for in vain. It decides of nothing but where the last unit of another shard lies. */
const WISH = /^wanted:/;

/** Checks that an answer is the problem document of this code, with the headers that go with its status. */
export function expectProblem(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body?.code, body: answer.body }).toMatchObject({ status, code });
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json(;|$)/);
  expect(answer.body).toMatchObject({ type: 'about:blank', title: expect.stringMatching(/./), status, detail: expect.stringMatching(/./) });
  expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  expect(answer.headers.get('location')).toBeNull();
  expect(answer.headers.get('retry-after')).toEqual(status === 503 ? expect.stringMatching(/^[1-9]\d*$/) : null);
}

/** Makes a call and checks that it is refused with this problem and that nothing the service remembers has changed by it. */
export async function expectRefusal(shop: Shop, call: () => Promise<Answer>, status: number, code: string): Promise<Answer> {
  const [before, sessions] = [await remembered(shop), await sessionsOf(shop)];
  const answer = await call();
  expectProblem(answer, status, code);
  expect(await remembered(shop)).toEqual(before);
  // Others may have run out meanwhile.
  expect((await sessionsOf(shop)).filter((session) => !sessions.includes(session))).toEqual([]);
  return answer;
}

const sessionsOf = (shop: Shop): Promise<string[]> => shop.redis.keys('seckill:session:*');

/** All rows of all tables, and what stands in Redis of sales. */
export async function remembered(shop: Shop): Promise<Record<string, unknown>> {
  const rows = TABLES.map(async (table): Promise<[string, unknown]> => [table, (await shop.database.query(`SELECT * FROM ${table}`)).map(withoutMarks)]);
  const keys = await shop.redis.keys('seckill:{*');
  const values = keys.map(async (key): Promise<[string, unknown]> => [key, await valueOf(shop, key)]);
  return Object.fromEntries(await Promise.all([...rows, ...values]));
}

/** When a row reached Redis or the webhooks (they mark it a moment after the ticket shows it), and when a sale was closed (by a job, at a time of its own). */
const withoutMarks = ({ relayed_at: _relayed, published_at: _published, closed_at: _closed, ...row }: Record<string, unknown>): Record<string, unknown> => row;

async function valueOf({ redis }: Shop, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return Object.fromEntries(Object.entries(await redis.hgetall(key)).filter(([field]) => !DRAIN_MARKS.includes(field) && !WISH.test(field)));
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'zset':
      return redis.zrange(key, 0, -1, 'WITHSCORES');
    case 'set':
      return (await redis.smembers(key)).sort();
    default:
      return (await redis.getBuffer(key))?.toString('hex');
  }
}
