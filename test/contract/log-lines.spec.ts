import { Logger } from '@nestjs/common';
import { converse } from '../harness/raw-http.js';
import { Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

const POLLS = 90;

describe('the log, while Redis does not answer', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
  });
  afterAll(() => shop.close());

  it('counts the requests that failed instead of telling of each', async () => {
    const sale = await shop.sale();
    const [{ token } = { token: '' }] = await shop.tokens(1);
    const lines: { code: string; leftOut?: number }[] = [];
    const nothing = (): void => undefined;
    Logger.overrideLogger({ log: nothing, error: nothing, warn: (line: { code: string; msg: string }) => void (line.msg === 'request refused for now' && lines.push(line)) });
    await shop.redis.client('PAUSE', 1500);
    const poll = `GET /api/sales/${sale.id}/ticket HTTP/1.1\r\nhost: shop\r\nauthorization: Bearer ${token}\r\n\r\n`;
    const answers = await converse(shop.api.base, poll.repeat(POLLS), { count: POLLS });
    expect(answers.map(({ body }) => body.code)).toEqual(Array(POLLS).fill('UNAVAILABLE'));
    const told = (): number => lines.reduce((sum, { leftOut = 0 }) => sum + 1 + leftOut, 0);
    await until('every failure to be counted', () => told() === POLLS);
    expect(lines.length).toBeLessThan(10);
  });
});
