import type { Api } from '../harness/api.js';
import { useBrowser } from '../harness/browser.js';
import { screenshot } from '../harness/screenshots.js';
import { ok, Shop, type SalePlan, type TestSale } from '../harness/shop.js';
import { holdLine, joinButton, KETTLE, LAST_KETTLE, ticketIn } from './shop-window.js';
import type { Page } from 'playwright-core';

describe("a shopper's ticket in the page", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());
  const browser = useBrowser();

  /** A sale with one shopper's page of it; `api` is the same shopper without the page. */
  const visit = async (plan: SalePlan): Promise<{ sale: TestSale; page: Page; api: Api }> => {
    const sale = await shop.sale(plan);
    const [shopper] = await shop.tokens(1);
    if (!shopper) throw new Error('no shopper');
    const page = await (await browser.visitor(shop.origin, { shopper })).open(`/sales/${sale.id}`);
    await joinButton(page).waitFor();
    return { sale, page, api: shop.api.as(shopper.token) };
  };
  const join = (page: Page): Promise<void> => joinButton(page).click();
  /** The page is loaded anew and shows the same. */
  const survivesReload = async (page: Page, status: string): Promise<void> => {
    await ticketIn(page, status);
    await page.reload();
    await ticketIn(page, status);
  };

  it('has a plain reason where everything is sold, and stays so after a reload', async () => {
    const { sale, page } = await visit(LAST_KETTLE);
    await shop.buy(await shop.shopper(), sale);
    await join(page);
    await page.getByRole('alert').filter({ hasText: 'is sold out' }).waitFor();
    await page.getByText('Sold out for now').waitFor();
    await screenshot(page, 'shop-sold-out');
    await page.reload();
    await page.getByText('Sold out for now').waitFor();
    await page.getByRole('button', { name: 'Try anyway' }).waitFor();
  });

  it('is sold out for who was in line when the last unit went', async () => {
    const { sale, page } = await visit(LAST_KETTLE);
    const release = await holdLine(shop, sale);
    ok(await shop.join(await shop.shopper(), sale), 202);
    await join(page);
    await survivesReload(page, 'queued');
    await screenshot(page, 'shop-queued');
    await release();
    await survivesReload(page, 'sold_out');
  });

  it('stands by, and gets the unit that comes back', async () => {
    const { sale, page } = await visit({ ...LAST_KETTLE, standbyLimit: 5 });
    const first = await shop.shopper();
    const { orderId } = await shop.buy(first, sale);
    await join(page);
    await survivesReload(page, 'standby');
    await screenshot(page, 'shop-standby');
    ok(await first.post(`/orders/${orderId}/cancel`), 200);
    await survivesReload(page, 'awaiting_payment');
  });

  it('expires when nobody pays in time', async () => {
    const { page } = await visit({ ...LAST_KETTLE, paymentTimeoutSeconds: 3 });
    await join(page);
    await ticketIn(page, 'awaiting_payment');
    await survivesReload(page, 'expired');
    await screenshot(page, 'shop-expired');
  });

  it('is paid after a reload in the middle of the payment', async () => {
    const { page } = await visit(LAST_KETTLE);
    await join(page);
    await (await ticketIn(page, 'awaiting_payment')).getByRole('button', { name: 'Pay now' }).click();
    await page.reload();
    await survivesReload(page, 'paid');
    await screenshot(page, 'shop-paid');
  });

  it('is reserved in mode instant until its order is made', async () => {
    const { sale, page } = await visit({ ...LAST_KETTLE, mode: 'instant' });
    const release = await holdLine(shop, sale);
    await join(page);
    await survivesReload(page, 'reserved');
    await screenshot(page, 'shop-reserved');
    await release();
    await survivesReload(page, 'awaiting_payment');
  });

  it('is cancelled, also where that was done elsewhere', async () => {
    const { page, api } = await visit(LAST_KETTLE);
    await join(page);
    await ticketIn(page, 'awaiting_payment');
    const [{ id }] = ok(await api.get('/orders'), 200).body.orders;
    ok(await api.post(`/orders/${id}/cancel`), 200);
    await survivesReload(page, 'cancelled');
    await screenshot(page, 'shop-cancelled');
  });

  it('is rejected where the limit was lowered below what it waits for', async () => {
    const { sale, page, api } = await visit({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 1, limitPerUser: 2 }], standbyLimit: 5 });
    await shop.buy(await shop.shopper(), sale);
    const items = [{ itemId: sale.itemIds[0], quantity: 2 }];
    ok(await api.post(`/sales/${sale.id}/tickets`, { items }), 202);
    await page.reload();
    await ticketIn(page, 'standby');
    ok(await shop.operator.patch(`/admin/sales/${sale.id}/items/${sale.itemIds[0]}`, { limitPerUser: 1 }), 200);
    await page.locator('[data-testid="ticket"][data-status^="rejected"]').waitFor();
    await page.reload();
    await page.getByText('More than the limit').waitFor();
    await screenshot(page, 'shop-rejected');
  });

  it('is given up by leaving the line', async () => {
    const { sale, page } = await visit(LAST_KETTLE);
    await holdLine(shop, sale);
    await join(page);
    await (await ticketIn(page, 'queued')).getByRole('button', { name: 'Leave the line' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes, leave' }).click();
    await survivesReload(page, 'left');
    await screenshot(page, 'shop-left');
  });

  it('goes on by itself when a lost connection is back', async () => {
    const { sale, page } = await visit(LAST_KETTLE);
    const release = await holdLine(shop, sale);
    await join(page);
    await ticketIn(page, 'queued');
    await page.context().setOffline(true);
    await page.getByTestId('connection').waitFor();
    await screenshot(page, 'shop-offline');
    await release();
    await page.context().setOffline(false);
    await ticketIn(page, 'awaiting_payment');
    await page.getByTestId('connection').waitFor({ state: 'detached' });
  });

  it('sends a click whose answer was lost again, as the same join', async () => {
    const { sale, page, api } = await visit({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 5, limitPerUser: 5 }] });
    let lost = 0;
    await page.route('**/tickets', async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort('connectionreset');
    });
    await join(page);
    await ticketIn(page, 'awaiting_payment');
    expect(lost).toBe(1);
    expect(ok(await api.get('/orders'), 200).body.orders.filter(({ saleId }: { saleId: string }) => saleId === sale.id)).toHaveLength(1);
  });

  it('is asked for where its stream is refused, not sooner than the service says', async () => {
    const { sale, page } = await visit(LAST_KETTLE);
    const release = await holdLine(shop, sale);
    await page.route('**/ticket/events', (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', headers: { 'retry-after': '30' }, body: JSON.stringify({ status: 503, code: 'UNAVAILABLE', detail: 'no' }) }));
    const asked: number[] = [];
    const pauses: number[] = [];
    page.on('request', (request) => request.url().endsWith('/ticket') && asked.push(performance.now()));
    page.on('response', (response) => {
      if (response.url().endsWith('/ticket') && response.ok()) void response.json().then(({ pollAfterMs }: { pollAfterMs: number }) => pauses.push(pollAfterMs));
    });
    await join(page);
    await ticketIn(page, 'queued');
    await page.waitForRequest((request) => request.url().endsWith('/ticket'));
    await page.waitForRequest((request) => request.url().endsWith('/ticket'));
    await release();
    await ticketIn(page, 'awaiting_payment');
    const [first = 0, second = 0] = asked.slice(-2);
    expect(pauses.length).toBeGreaterThan(0);
    expect(second - first).toBeGreaterThanOrEqual(Math.min(...pauses) * 0.9);
  });
});
