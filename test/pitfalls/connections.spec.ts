import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { ReservedPool } from '../../src/infra/database/index.js';
import { Crowd, outcomeOf } from '../harness/crowd.js';
import { inParallel, tally } from '../harness/parallel.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

const [REQUESTS, CONCURRENCY] = [13_000, 100];
/** Connections that requests share, and those that are kept for the drain. */
const [POOL_SIZE, RESERVED] = [16, 8];
const [CLIENTS, ANSWERS] = [200, 10_000];
/** How long running requests may take to finish once the process was told to stop, and some time for the rest. */
const CLOSED_WITHIN_MS = 15_000;

describe('connections', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  /** How many the servers have, those to Redis by their names and what they do. */
  const open = async (): Promise<{ mysql: number; redis: number; blocked: number }> => {
    const [row] = await shop.database.query('SELECT COUNT(*) AS connections FROM information_schema.processlist WHERE db = DATABASE()');
    const clients = (await shop.redis.client('LIST')) as string;
    return { mysql: Number(row.connections), redis: clients.trim().split('\n').length, blocked: clients.match(/ flags=\w*b/g)?.length ?? 0 };
  };

  /** Takes every connection of the pools at a time, which can be had only if none is in other hands. */
  const wholePool = async (): Promise<void> => {
    const reserved = shop.get(ReservedPool).dataSource;
    const runners = Array.from({ length: POOL_SIZE + RESERVED }, (_, index) => (index < POOL_SIZE ? shop.database : reserved).createQueryRunner());
    let had = 0;
    for (const runner of runners) void runner.connect().then(() => (had += 1));
    await until('the whole pool to be free', () => had === POOL_SIZE + RESERVED);
    for (const runner of runners) await runner.release();
  };

  it(`are given back: ${REQUESTS} requests of many kinds take none with them, and every one gets its answer`, async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    const [[{ token: holder } = { token: '' }], [{ token: canceller } = { token: '' }]] = [await shop.tokens(1), await shop.tokens(1)];
    const { orderId } = await shop.buy(shop.api.as(holder), sale);
    const { orderId: cancelled } = await shop.buy(shop.api.as(canceller), sale);
    ok(await shop.api.as(canceller).post(`/orders/${cancelled}/cancel`), 200);
    const { token: operator } = ok(await shop.api.post('/auth/login', { username: 'operator', password: 'operator-demo' }), 200).body;
    const crowd = new Crowd(shop.api.base);
    const draft = JSON.stringify({ title: 'x', startsAt: '2020-01-01T00:00:00Z', endsAt: '2090-01-01T00:00:00Z', items: [{ goodsId: '999', priceMinor: 1, stock: 1, limitPerUser: 1 }] });
    type Kind = [expected: string, call: () => ReturnType<Crowd['get']>];
    const ofRedis: Kind[] = [
      ['awaiting_payment', () => crowd.get(`/sales/${sale.id}/ticket`, holder)],
      ['UNPAID_ORDER', () => crowd.join(holder, sale)],
      ['UNAUTHENTICATED', () => crowd.get(`/sales/${sale.id}/ticket`, 'forged')],
      ['INVALID_BASKET', () => crowd.post(`/sales/${sale.id}/tickets`, holder, '{}')],
      ['SALE_NOT_FOUND', () => crowd.get('/sales/999999/ticket', holder)],
      ['FORBIDDEN', () => crowd.post('/admin/sales', holder, draft)],
    ];
    const ofMySql: Kind[] = [
      ['200', () => crowd.get('/sales', holder)],
      ['awaiting_payment', () => crowd.get(`/orders/${orderId}`, holder)],
      ['ORDER_NOT_FOUND', () => crowd.get(`/orders/${orderId}`, canceller)],
      ['ORDER_NOT_FOUND', () => crowd.post(`/orders/${randomUUID()}/cancel`, holder)],
      ['ORDER_NOT_PAYABLE', () => crowd.post(`/orders/${cancelled}/pay`, canceller)],
      ['cancelled', () => crowd.post(`/orders/${cancelled}/cancel`, canceller)],
      ['GOODS_NOT_FOUND', () => crowd.post('/admin/sales', operator, draft)],
    ];
    const run = async (count: number): Promise<Partial<Record<string, number>>> =>
      tally(await inParallel(Array(count).keys(), CONCURRENCY, async (n) => {
        const kinds = n % 10 === 0 ? ofMySql : ofRedis;
        const [expected, call] = kinds[Math.floor(n / 10 + n) % kinds.length] ?? ['no kind', () => crowd.get('/', '')];
        let outcome = outcomeOf(await call());
        // On a busy machine a call may be put off; who asks again must get its answer.
        for (let again = 0; outcome === 'UNAVAILABLE' && again < 20; again += 1) outcome = outcomeOf(await call());
        return outcome === expected ? 'as it should be' : `${outcome} instead of ${expected}`;
      }));
    try {
      await run(1000);
      await wholePool();
      const before = await open();
      expect(before.mysql).toBe(POOL_SIZE + RESERVED);
      expect(await run(REQUESTS)).toEqual({ 'as it should be': REQUESTS });
      expect(await open()).toEqual(before);
    } finally {
      crowd.close();
    }
    await wholePool();
  });

  it(`are served alike: none of ${CLIENTS} starves while the others get their answers`, async () => {
    const sale = await shop.sale({ items: [{ stock: CLIENTS }] });
    const tokens = await shop.tokens(CLIENTS);
    const crowds = tokens.map(() => new Crowd(shop.api.base));
    const answers: number[] = Array(CLIENTS).fill(0);
    const outcomes = new Set<string>();
    let [left, warm] = [CLIENTS * 5, false];
    const lane = async (index: number): Promise<void> => {
      const [crowd, token] = [crowds[index], tokens[index]?.token ?? ''];
      for (let turn = 0; left > 0 && crowd; turn += 1) {
        left -= 1;
        const answer = turn % 3 === 0 ? await crowd.join(token, sale) : await crowd.get(`/sales/${sale.id}/ticket`, token);
        outcomes.add(outcomeOf(answer));
        if (warm) answers[index] = (answers[index] ?? 0) + 1;
      }
    };
    try {
      await Promise.all(crowds.map((_, index) => lane(index)));
      [left, warm] = [ANSWERS, true];
      await Promise.all(crowds.map((_, index) => lane(index)));
    } finally {
      for (const crowd of crowds) crowd.close();
    }
    const sorted = [...answers].sort((a, b) => a - b);
    const median = sorted[CLIENTS / 2] ?? 0;
    expect(answers.reduce((sum, count) => sum + count)).toBe(ANSWERS);
    expect(sorted[0]).toBeGreaterThan(median / 4);
    expect([...outcomes].filter((outcome) => !['queued', 'claimed', 'awaiting_payment', 'ALREADY_QUEUED', 'UNPAID_ORDER', 'SOLD_OUT'].includes(outcome))).toEqual([]);
  });

  it('that lie idle, or whose request never ends, do not keep a process that is told to stop', async () => {
    const app = await shop.start(['api']);
    const { hostname, port } = new URL(shop.api.base);
    const ask = async (request: string) => {
      const socket = connect({ host: hostname, port: Number(port) });
      await once(socket, 'connect');
      socket.write(request);
      return { socket, isClosed: once(socket, 'close') };
    };
    const idle = await Promise.all(Array.from({ length: 20 }, () => ask(`GET /api/sales HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)));
    for (const { socket } of idle) {
      await once(socket, 'data');
      socket.resume();
    }
    const endless = await ask(`POST /api/auth/login HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
    endless.socket.resume().on('error', () => undefined);
    const startedMs = Date.now();
    await shop.stop(app);
    expect(Date.now() - startedMs).toBeLessThan(CLOSED_WITHIN_MS);
    await Promise.all([...idle, endless].map(({ isClosed }) => isClosed));
  });
});
