import { converse } from '../harness/raw-http.js';
import { Shop, type TestSale } from '../harness/shop.js';
import { expectProblem } from './refusals.js';

const [MANY, AT_ONCE] = [300, 100];

describe('requests that follow each other on one connection', () => {
  let shop: Shop;
  let sale: TestSale;
  beforeAll(async () => {
    shop = await Shop.open({}, ['api']);
    sale = await shop.sale({ items: [{ stock: 100 }] });
  });
  afterAll(() => shop.close());

  const join = async (): Promise<string> => {
    const [{ token } = { token: '' }] = await shop.tokens(1);
    const basket = JSON.stringify({ items: [{ itemId: sale.itemIds[0], quantity: 1 }] });
    return `POST /api/sales/${sale.id}/tickets HTTP/1.1\r\nhost: shop\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${basket.length}\r\n\r\n${basket}`;
  };

  it('get their answers before one that can not be read gets its own', async () => {
    const answers = await converse(shop.api.base, `${await join()}${await join()}no request\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 400]);
  });

  it('get their answers before one that asks for a tunnel', async () => {
    const answers = await converse(shop.api.base, `${await join()}${await join()}CONNECT shop:443 HTTP/1.1\r\nhost: shop\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 501]);
  });

  it('get their answers before one whose body can not be read gets its own, which is one', async () => {
    const broken = 'POST /api/auth/login HTTP/1.1\r\nhost: shop\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n';
    const answers = await converse(shop.api.base, `${await join()}${broken}`);
    expect(answers.map(({ status }) => status)).toEqual([202, 400]);
  });

  it('get one answer each: a body that was refused already is not refused again', async () => {
    const refused = 'POST /api/auth/login HTTP/1.1\r\nhost: shop\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n';
    const answers = await converse(shop.api.base, `${await join()}${refused}`);
    expect(answers.map(({ status }) => status)).toEqual([202, 415]);
  });

  it('are answered also when the client has closed its side', async () => {
    const answers = await converse(shop.api.base, `${await join()}${await join()}`, { halfClose: true });
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  });

  it(`are taken up to ${AT_ONCE} at once; what comes on top is put off`, async () => {
    const [{ token } = { token: '' }] = await shop.tokens(1);
    const poll = `GET /api/sales/${sale.id}/ticket HTTP/1.1\r\nhost: shop\r\nauthorization: Bearer ${token}\r\n\r\n`;
    const answers = await converse(shop.api.base, poll.repeat(MANY), { count: MANY });
    expect(answers).toHaveLength(MANY);
    expect(answers.slice(0, AT_ONCE).map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(404));
    const putOff = answers.filter(({ status }) => status === 429);
    expect(putOff.length).toBeGreaterThan(0);
    for (const { headers, body } of putOff) expect([headers.get('retry-after'), body.code]).toEqual(['1', 'TOO_MANY_REQUESTS']);
    expect(answers.filter(({ status }) => status !== 404 && status !== 429)).toEqual([]);
  });

  it('a single one that can not be read is a problem', async () => {
    const [answer] = await converse(shop.api.base, 'no request\r\n\r\n');
    if (!answer) throw new Error('no answer');
    expectProblem(answer, 400, 'VALIDATION_FAILED');
  });
});
