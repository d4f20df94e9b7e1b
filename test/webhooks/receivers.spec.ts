import type { ServerResponse } from 'node:http';
import { RetrySchedule } from '../../src/webhooks/retry-schedule.js';
import { Receiver, type Reply } from '../harness/receiver.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const [ORDERS, AT_ONCE] = [20, 8];
/** Less than it takes a receiver that never answers to be asked for all orders. */
const QUICK_MS = 10_000;
/** A connection that was cut may still count where its other end has not seen it. */
const MOST_CONNECTIONS = AT_ONCE + 4;
const MEGABYTE = Buffer.alloc(1 << 20, 'x');
/** What lies between two programs of one machine before the second one has seen it. */
const MOST_MEGABYTES = 16;

describe('a receiver', () => {
  let shop: Shop;
  const receivers: Receiver[] = [];
  let webhooks: string[] = [];
  beforeAll(async () => {
    shop = await Shop.open({ WEBHOOK_ALLOW_PRIVATE: '1' });
    shop.get(RetrySchedule).pausesMs = [600_000];
  });
  afterEach(async () => {
    for (const id of webhooks) ok(await shop.operator.delete(`/admin/webhooks/${id}`), 204);
    webhooks = [];
  });
  afterAll(async () => {
    await shop.close();
    for (const receiver of receivers) await receiver.close();
  });

  const register = async (answer: () => Reply): Promise<{ receiver: Receiver; id: string }> => {
    const receiver = await Receiver.open();
    receivers.push(receiver);
    receiver.answer = answer;
    const { body } = ok(await shop.operator.post('/admin/webhooks', { url: receiver.url, types: ['order.awaiting_payment'] }), 201);
    receiver.secret = body.secret;
    webhooks.push(body.id);
    return { receiver, id: body.id };
  };
  const count = async (id: string, where: string): Promise<number> => Number((await shop.database.query(`SELECT COUNT(*) AS n FROM webhook_deliveries WHERE endpoint_id = ? AND ${where}`, [id]))[0].n);
  const buy = (sale: TestSale): Promise<unknown> => Promise.all(Array.from({ length: ORDERS }, async () => shop.buy(await shop.shopper(), sale)));

  const raw = (...parts: string[]) => (response: ServerResponse): void => {
    for (const part of parts) response.socket?.write(part);
  };
  const rawThenCut = (text: string) => (response: ServerResponse): void => void response.socket?.end(text, () => response.socket?.destroy());
  const drip = (text: string) => (response: ServerResponse): void => {
    let sent = 0;
    const timer = setInterval(() => response.socket?.write(text[sent++ % text.length] ?? 'x'), 100);
    response.socket?.once('close', () => clearInterval(timer));
  };
  let megabytes = 0;
  const pour = (response: ServerResponse): void => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(MEGABYTE)) megabytes += 1;
      megabytes += 1;
    };
    response.on('drain', more);
    more();
  };

  const FAILING: [string, () => Reply, RegExp][] = [
    ['never answers', () => 'silence', /^no answer within 5000 ms$/],
    ['answers 500', () => 500, /^answered 500$/],
    ['answers with a redirect', () => 307, /^answered 307$/],
    ['closes the connection in the middle of its status', () => ({ status: 0, write: rawThenCut('HTTP/1.1 20') }), /./],
    ['closes the connection instead of an answer', () => ({ status: 0, write: rawThenCut('') }), /./],
    ['sends its status byte by byte, and never the whole of it', () => ({ status: 0, write: drip('HTTP/1.1 200 ' + 'O'.repeat(1000)) }), /^no answer within 5000 ms$/],
    ['switches to another protocol', () => ({ status: 0, write: raw('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n') }), /./],
    ['speaks no HTTP', () => ({ status: 0, write: raw('SSH-2.0-OpenSSH_9.2\r\n') }), /./],
    ['has headers without end', () => ({ status: 0, write: raw('HTTP/1.1 200 OK\r\nx: ', 'x'.repeat(1 << 20)) }), /./],
  ];
  it.each(FAILING)('that %s has not taken the event, and holds up nobody else', async (_, answer, reason) => {
    const [odd, quick] = [await register(answer), await register(() => 200)];
    await buy(await shop.sale({ items: [{ stock: ORDERS }] }));
    await until('the quick one to have all', async () => (await count(quick.id, `status = 'delivered'`)) === ORDERS, QUICK_MS);
    await until('each try to have failed', async () => (await count(odd.id, `status = 'pending' AND attempts = 1 AND last_error IS NOT NULL`)) === ORDERS, 30_000);
    const errors: { said: string }[] = await shop.database.query('SELECT DISTINCT last_error AS said FROM webhook_deliveries WHERE endpoint_id = ?', [odd.id]);
    for (const { said } of errors) expect(said).toMatch(reason);
    expect([odd.receiver.mostConnections <= MOST_CONNECTIONS, odd.receiver.unverified]).toEqual([true, []]);
  }, 60_000);

  const TAKING: [string, () => Reply][] = [
    ['closes the connection in the middle of its answer', () => ({ status: 200, write: rawThenCut('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf') })],
    ['answers byte by byte, without end', () => ({ status: 200, write: (response) => (response.writeHead(200).flushHeaders(), drip('1\r\nx\r\n')(response)) })],
    ['answers with a body without end', () => ({ status: 200, write: pour })],
  ];
  it.each(TAKING)('that says 2xx, and then %s, has taken the event; no more connections are open than messages may be under way', async (_, answer) => {
    megabytes = 0;
    const [odd, quick] = [await register(answer), await register(() => 200)];
    await buy(await shop.sale({ items: [{ stock: ORDERS }] }));
    await until('the quick one to have all', async () => (await count(quick.id, `status = 'delivered'`)) === ORDERS, QUICK_MS);
    await until('the odd one to have all', async () => (await count(odd.id, `status = 'delivered'`)) === ORDERS, 30_000);
    expect(odd.receiver.tries).toHaveLength(ORDERS);
    expect(odd.receiver.mostConnections).toBeLessThanOrEqual(MOST_CONNECTIONS);
    expect(megabytes).toBeLessThan(ORDERS * MOST_MEGABYTES);
  }, 60_000);
});
