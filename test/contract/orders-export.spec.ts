import { ok, Shop } from '../harness/shop.js';
import { expectProblem } from './refusals.js';

const HEADER = 'orderId,ticketId,userId,username,status,amountMinor,currency,lines,createdAt,payBefore,paidAt,closedAt,refundedAt,titles';
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('orders.csv', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());

  const csv = async (saleId: string) => {
    const { headers, body } = ok(await shop.operator.get(`/admin/sales/${saleId}/orders.csv`), 200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="orders-${saleId}.csv"`);
    expect(body).toMatch(/\r\n$/);
    return (body as string).slice(0, -2).split('\r\n');
  };

  it('has a line for each order of the sale, the oldest first', async () => {
    const [sale, other] = [await shop.sale({ items: [{ stock: 5, limitPerUser: 2, priceMinor: 150 }, { stock: 5, priceMinor: 0 }] }), await shop.sale()];
    const [payer, canceller] = [await shop.shopper(), await shop.shopper()];
    const { id, username } = ok(await payer.get('/auth/me'), 200).body;
    const [one, two] = sale.itemIds;
    const paid = await shop.buy(payer, sale, [{ itemId: one ?? '', quantity: 2 }, { itemId: two ?? '', quantity: 1 }]);
    const cancelled = await shop.buy(canceller, sale);
    await shop.buy(payer, other);
    ok(await payer.post(`/orders/${paid.orderId}/pay`), 200);
    ok(await canceller.post(`/orders/${cancelled.orderId}/cancel`), 200);
    await shop.ticketWhen(payer, sale, ['paid']);

    const [header, first, second, ...more] = await csv(sale.id);
    expect([header, more]).toEqual([HEADER, []]);
    const [createdAt, payBefore, paidAt, closedAt] = (first ?? '').split(',').slice(8);
    expect(first).toBe([paid.orderId, paid.ticketId, id, username, 'paid', 300, 'EUR', `2 x item ${one} @ 150; 1 x item ${two} @ 0`, createdAt, payBefore, paidAt, '', '', 'Test goods; Test goods'].join(','));
    for (const time of [createdAt, payBefore, paidAt]) expect(time).toMatch(TIME);
    expect([payBefore, closedAt]).toEqual([paid.payBefore, '']);
    const cells = (second ?? '').split(',');
    expect([cells[0], cells[4], cells[10]]).toEqual([cancelled.orderId, 'cancelled', '']);
    expect(cells[11]).toMatch(TIME);
  });

  it('is only its header where nothing was sold', async () => {
    expect(await csv((await shop.sale()).id)).toEqual([HEADER]);
    expect(await csv((await shop.sale({ publish: false })).id)).toEqual([HEADER]);
  });

  it('makes names that a spreadsheet would take for formulas plain text', async () => {
    const sale = await shop.sale();
    for (const username of ['@SUM-A1', '-2-3', 'plain']) {
      const { token } = ok(await shop.api.post('/auth/register', { username, password: 'plain and simple' }), 201).body;
      await shop.buy(shop.api.as(token), sale);
    }
    const names = (await csv(sale.id)).slice(1).map((line) => line.split(',')[3]);
    expect(names).toEqual(["'@SUM-A1", "'-2-3", 'plain']);
  });

  it('of a sale that is not there is a problem, not a file', async () => {
    const answer = await shop.operator.get('/admin/sales/999999/orders.csv');
    expectProblem(answer, 404, 'SALE_NOT_FOUND');
    expect(answer.headers.get('content-disposition')).toBeNull();
  });
});
