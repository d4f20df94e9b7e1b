import type { Answer, Api } from '../harness/api.js';
import { inParallel, tally } from '../harness/parallel.js';
import { expectProblem } from './refusals.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';

describe('an Idempotency-Key', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());

  const join = (shopper: Api, sale: TestSale, key: string, quantity = 1): Promise<Answer> =>
    shopper.post(`/sales/${sale.id}/tickets`, { items: [{ itemId: sale.itemIds[0], quantity }] }, { 'idempotency-key': key });
  const post = (api: Api, path: string, key: string, body?: object): Promise<Answer> => api.post(path, body, { 'idempotency-key': key });

  describe.each(['queue', 'instant'] as const)('of a join, in mode %s,', (mode) => {
    it('gets a repeat the first answer, also when the ticket is an order by then, and takes no second unit', async () => {
      const [sale, shopper] = [await shop.sale({ mode, items: [{ stock: 1 }] }), await shop.shopper()];
      const first = ok(await join(shopper, sale, 'once'), 202);
      expect((await join(shopper, sale, 'once')).body).toEqual(first.body);
      await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
      // The item is sold out by now, and this process knows it.
      expect(await join(shopper, sale, 'once')).toMatchObject({ status: 202, body: first.body });
      expect((await join(shopper, sale, 'another')).body.code).toBe('UNPAID_ORDER');
      expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1, inList: 0 }] });
    });

    it('is one join however many repeats come at once', async () => {
      const [sale, shopper] = [await shop.sale({ mode, items: [{ stock: 5 }] }), await shop.shopper()];
      const answers = await inParallel(Array.from({ length: 50 }), 50, () => join(shopper, sale, 'at once'));
      expect(tally(answers.map(({ status, body }) => `${status} ${body.ticketId}`))).toEqual({ [`202 ${answers[0]?.body.ticketId}`]: 50 });
    });

    it('belongs to one basket, and to one shopper', async () => {
      const [sale, shopper, other] = [await shop.sale({ mode, items: [{ stock: 5, limitPerUser: 3 }] }), await shop.shopper(), await shop.shopper()];
      ok(await join(shopper, sale, 'mine'), 202);
      expect(await join(shopper, sale, 'mine', 2)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
      const { body } = ok(await join(other, sale, 'mine'), 202);
      expect(body.ticketId).not.toBe((await shopper.get(`/sales/${sale.id}/ticket`)).body.ticketId);
    });

    it('does not keep a refusal: the next try is judged anew', async () => {
      const [sale, shopper] = [await shop.sale({ mode, items: [{ stock: 5 }] }), await shop.shopper()];
      ok(await shop.operator.post(`/admin/sales/${sale.id}/pause`), 200);
      expect((await join(shopper, sale, 'early')).body.code).toBe('PAUSED');
      ok(await shop.operator.post(`/admin/sales/${sale.id}/resume`), 200);
      ok(await join(shopper, sale, 'early'), 202);
    });
  });

  it('of a change of stock changes it once', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    const path = `/admin/sales/${sale.id}/items/${sale.itemIds[0]}/stock`;
    const first = ok(await post(shop.operator, path, 'more', { delta: 3 }), 200);
    expect(ok(await post(shop.operator, path, 'more', { delta: 3 }), 200).body).toEqual(first.body);
    expect(await post(shop.operator, path, 'more', { delta: 4 })).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ stock: 8, inList: 8 }] });
  });

  it('of a payment gets the first answer again, whatever became of it since', async () => {
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    const first = ok(await post(shopper, `/orders/${orderId}/pay`, 'pay-1', {}), 200);
    expect(first.body.payment.status).toBe('pending');
    await shop.ticketWhen(shopper, sale, ['paid']);
    const again = ok(await post(shopper, `/orders/${orderId}/pay`, 'pay-1', {}), 200);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(ok(await shopper.post(`/orders/${orderId}/pay`), 200).body).toMatchObject({ status: 'paid', payment: { status: 'succeeded' } });
  });

  it('of a refusal gets the refusal again, with the same body', async () => {
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    ok(await shopper.post(`/orders/${orderId}/cancel`), 200);
    const first = await post(shopper, `/orders/${orderId}/pay`, 'too late');
    expect([first.status, first.body.code]).toEqual([409, 'ORDER_NOT_PAYABLE']);
    expect(await post(shopper, `/orders/${orderId}/pay`, 'too late')).toMatchObject({ status: 409, body: first.body });
  });

  it('is refused for another call: another order, another body, another route', async () => {
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    ok(await post(shopper, `/orders/${orderId}/pay`, 'k', {}), 200);
    for (const [path, body] of [[`/orders/${orderId}/pay`, { provider: 'sandbox' }], [`/orders/${orderId}/cancel`, {}], ['/orders/other/pay', {}]] as const) {
      expect(await post(shopper, path, 'k', body)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    }
  });

  it('of a call that still runs is refused for the moment, and the call is made once', async () => {
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(shopper, `/orders/${orderId}/cancel`, 'c', {})));
    const codes = tally(answers.map(({ status, body }) => (status === 200 ? 'done' : body.code)));
    expect(Object.keys(codes).filter((code) => !['done', 'IDEMPOTENCY_KEY_IN_USE'].includes(code))).toEqual([]);
    expect(codes.done).toBeGreaterThan(0);
    for (const busy of answers.filter(({ status }) => status === 409)) expect(busy.headers.get('retry-after')).toBe('1');
    ok(await post(shopper, `/orders/${orderId}/cancel`, 'c', {}), 200);
  });

  it('of a call whose process died is free again after a while', async () => {
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    ok(await post(shopper, `/orders/${orderId}/cancel`, 'dead', {}), 200);
    await shop.database.query(`UPDATE idempotency_keys SET answer = NULL, running_until = UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE ORDER BY created_at DESC LIMIT 1`);
    expect((await post(shopper, `/orders/${orderId}/cancel`, 'dead', {})).body.code).toBe('IDEMPOTENCY_KEY_IN_USE');
    await shop.database.query(`UPDATE idempotency_keys SET running_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND ORDER BY created_at DESC LIMIT 1`);
    ok(await post(shopper, `/orders/${orderId}/cancel`, 'dead', {}), 200);
  });

  it('of a refund is honoured, too', async () => {
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const { orderId } = await shop.buy(shopper, sale);
    ok(await shopper.post(`/orders/${orderId}/pay`), 200);
    await shop.ticketWhen(shopper, sale, ['paid']);
    const first = ok(await post(shop.operator, `/admin/orders/${orderId}/refund`, 'r', {}), 200);
    expect(ok(await post(shop.operator, `/admin/orders/${orderId}/refund`, 'r', {}), 200).body).toEqual(first.body);
  });

  it.each(['', ' ', 'ä', 'x'.repeat(256)])('"%s" is refused', async (key) => {
    const [sale, shopper] = [await shop.sale(), await shop.shopper()];
    const headers = { 'idempotency-key': Buffer.from(key, 'utf8').toString('latin1') };
    const answer = await shopper.post(`/sales/${sale.id}/tickets`, { items: [{ itemId: sale.itemIds[0], quantity: 1 }] }, headers);
    expectProblem(answer, 400, 'VALIDATION_FAILED');
    expect((await shopper.get(`/sales/${sale.id}/ticket`)).body.code).toBe('NO_TICKET');
  });
});
