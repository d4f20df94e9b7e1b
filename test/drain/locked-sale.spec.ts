import { createConnection, type Connection } from 'mysql2/promise';
import type { Api } from '../harness/api.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';

/** Somebody's transaction holds the row of one sale and does not let go: an operator's open client, a build that was frozen. */
describe('while the row of one sale is locked', () => {
  let shop: Shop;
  let locked: TestSale;
  let other: TestSale;
  let foreign: Connection;
  let buyers: Api[];
  const left: Promise<unknown>[] = [];
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
    locked = await shop.sale({ items: [{ stock: 40 }] });
    other = await shop.sale({ items: [{ stock: 5 }], paymentTimeoutSeconds: 3 });
    buyers = await shop.shoppers(25);
    const orders = await Promise.all(buyers.map((buyer) => shop.buy(buyer, locked)));
    foreign = await createConnection(shop.services.databaseUrl);
    await foreign.beginTransaction();
    await foreign.query('SELECT id FROM sales WHERE id = ? FOR UPDATE', [locked.id]);
    left.push(...buyers.map((buyer, index) => buyer.post(`/orders/${orders[index].orderId}/${index % 2 === 0 ? 'pay' : 'cancel'}`)));
    left.push(shop.shopper().then((shopper) => shop.join(shopper, locked)));
  });
  afterAll(async () => {
    await foreign.end();
    await Promise.all(left);
    await shop.close();
  });

  it('another sale goes on: it is joined, decided, and its unpaid orders expire', async () => {
    const shopper = await shop.shopper();
    ok(await shop.join(shopper, other), 202);
    await shop.ticketWhen(shopper, other, ['awaiting_payment'], 12_000);
    await shop.ticketWhen(shopper, other, ['expired'], 20_000);
  });

  it('shoppers sign in and look at sales', async () => {
    ok(await shop.api.post('/auth/register', { username: 'undisturbed', password: 'correct-horse' }), 201);
    ok(await shop.api.get(`/sales/${other.id}`), 200);
  });

  it('who wants something of the locked sale is told to try again, and can when it is free', async () => {
    const answers = (await Promise.all(left.slice(0, 25))) as { status: number; body: { code?: string } }[];
    expect(answers.filter(({ status, body }) => status !== 200 && body.code !== 'UNAVAILABLE')).toEqual([]);
    await foreign.rollback();
    const [first] = buyers;
    const { body } = ok(await (first as Api).get(`/sales/${locked.id}/ticket`), 200);
    ok(await (first as Api).post(`/orders/${body.orderId}/pay`), 200);
    await shop.ticketWhen(first as Api, locked, ['paid']);
  });
});
