import { connect } from 'node:net';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { EventReader } from './event-reader.js';

/** So long that no heartbeat comes within a test. */
const NO_HEARTBEAT = { STREAM_HEARTBEAT_SECONDS: '300' };

describe('an event stream, without waiting for its heartbeat', () => {
  let shop: Shop;
  let sale: TestSale;
  beforeAll(async () => {
    shop = await Shop.open({ ...NO_HEARTBEAT, STREAMS_PER_SHOPPER: '1' }, ['api']);
    sale = await shop.sale();
  });
  afterAll(() => shop.close());

  const queued = async (): Promise<{ token: string; url: string }> => {
    const [{ token } = { token: '' }] = await shop.tokens(1);
    ok(await shop.join(shop.api.as(token), sale), 202);
    return { token, url: `${shop.api.base}/sales/${sale.id}/ticket/events` };
  };

  it('gives its place back when its reader closes its side', async () => {
    const { token, url } = await queued();
    const { hostname, port, pathname } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let received = '';
    socket.on('data', (part) => (received += part.toString()));
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: shop\r\nauthorization: Bearer ${token}\r\n\r\n`);
    try {
      await until('the first event', () => received.includes('"queued"'));
      socket.end();
      const asked = shop.api.as(token);
      await until('a place for the next stream', async () => (await asked.call('HEAD', `/sales/${sale.id}/ticket/events`)).status === 200, 3000);
    } finally {
      socket.destroy();
    }
  });

  it('ends when its session is closed, on whichever process that happens, and no other does', async () => {
    const [{ token, url }, other] = [await queued(), await queued()];
    const [reader, ofOther] = [await EventReader.at(url, token), await EventReader.at(other.url, other.token)];
    await Promise.all([reader.when('queued'), ofOther.when('queued')]);
    const second = await shop.start(['api']);
    ok(await shop.api.as(token).post('/auth/logout'), 204);
    await reader.over(3000);
    expect(ofOther.isOver).toBe(false);
    ofOther.close();
    await shop.stop(second);
  });
});
