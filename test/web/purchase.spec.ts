import type { Locator } from 'playwright-core';
import type { ShopperToken } from '../../src/auth/index.js';
import { useBrowser } from '../harness/browser.js';
import { screenshot } from '../harness/screenshots.js';
import { Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { PHONE } from '../harness/visit.js';
import { isTooWide, joinButton, KETTLE, LAST_KETTLE, tabTo, ticketIn } from './shop-window.js';

describe('a purchase in the shop', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());
  const browser = useBrowser();

  const shopper = async (): Promise<ShopperToken> => {
    const [made] = await shop.tokens(1);
    if (!made) throw new Error('no shopper');
    return made;
  };
  const ordersOf = async (sale: TestSale): Promise<number> => (await shop.database.query('SELECT id FROM orders WHERE sale_id = ?', [sale.id])).length;

  it('goes from the list of sales by sign-up, line and payment to the own orders, on a phone', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 5 }] });
    const page = await (await browser.visitor(shop.origin, { size: PHONE })).open('/');
    await page.locator(`a[href="/sales/${sale.id}"]`).click();
    await joinButton(page).waitFor();
    await screenshot(page, 'buying-1-sale');
    await joinButton(page).click();
    await page.getByLabel('Name').fill('grace-hopper');
    await page.getByLabel('Password').fill('correct horse battery');
    await screenshot(page, 'buying-2-sign-up');
    await page.getByRole('button', { name: 'Sign up', exact: true }).click();
    const ticket = await ticketIn(page, 'awaiting_payment');
    await ticket.getByRole('timer').waitFor();
    await screenshot(page, 'buying-3-ticket');
    expect(await isTooWide(page)).toBe(false);
    await ticket.getByRole('button', { name: 'Pay now' }).click();
    await (await ticketIn(page, 'paid')).getByRole('link', { name: 'My orders' }).click();
    await page.locator('[data-testid="order"][data-status="paid"]').waitFor();
    await screenshot(page, 'buying-4-orders');
    expect(await isTooWide(page)).toBe(false);
    expect(await ordersOf(sale)).toBe(1);
  });

  it('is made with the keyboard alone', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 5 }] });
    const page = await (await browser.visitor(shop.origin, { shopper: await shopper() })).open('/');
    const link = page.locator(`a[href="/sales/${sale.id}"]`);
    await link.waitFor();
    await tabTo(page, link);
    await page.keyboard.press('Enter');
    await joinButton(page).waitFor();
    await tabTo(page, joinButton(page));
    await page.keyboard.press('Enter');
    const pay = (await ticketIn(page, 'awaiting_payment')).getByRole('button', { name: 'Pay now' });
    await tabTo(page, pay);
    await page.keyboard.press('Enter');
    await ticketIn(page, 'paid');
  });

  it('is paid, or cancelled, from the own orders', async () => {
    const made = await shopper();
    const sales = [await shop.sale(LAST_KETTLE), await shop.sale({ title: 'Tea time', items: [{ ...KETTLE, title: 'Tea pot', stock: 1 }] })];
    for (const sale of sales) await shop.buy(shop.api.as(made.token), sale);
    const page = await (await browser.visitor(shop.origin, { shopper: made })).open('/orders');
    const order = (title: string, status: string): Locator => page.locator(`[data-testid="order"][data-status="${status}"]`).filter({ hasText: title });
    await order('Kettle', 'awaiting_payment').getByRole('button', { name: 'Pay now' }).click();
    await order('Kettle', 'paid').waitFor();
    await order('Tea pot', 'awaiting_payment').getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes, cancel' }).click();
    await order('Tea pot', 'cancelled').waitFor();
  });

  it('can be cancelled, after a question, and begun again', async () => {
    const sale = await shop.sale(LAST_KETTLE);
    const page = await (await browser.visitor(shop.origin, { shopper: await shopper() })).open(`/sales/${sale.id}`);
    await joinButton(page).click();
    await (await ticketIn(page, 'awaiting_payment')).getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes, cancel' }).click();
    await ticketIn(page, 'cancelled');
    await joinButton(page).click();
    await ticketIn(page, 'awaiting_payment');
  });

  it('is one join, however often and fast the button is pressed', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 5, limitPerUser: 5 }] });
    const page = await (await browser.visitor(shop.origin, { shopper: await shopper() })).open(`/sales/${sale.id}`);
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && request.url().endsWith('/tickets') && sent.push(request.url()));
    await joinButton(page).dblclick();
    await ticketIn(page, 'awaiting_payment');
    expect(sent).toHaveLength(1);
    expect(await ordersOf(sale)).toBe(1);
  });

  it('is one in two tabs, and both show it', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 5, limitPerUser: 5 }] });
    const visitor = await browser.visitor(shop.origin, { shopper: await shopper() });
    const [one, other] = [await visitor.open(`/sales/${sale.id}`), await visitor.open(`/sales/${sale.id}`)];
    await joinButton(one).waitFor();
    await joinButton(other).click();
    await Promise.all([ticketIn(one, 'awaiting_payment'), ticketIn(other, 'awaiting_payment')]);
    await other.getByRole('button', { name: 'Pay now' }).click();
    await Promise.all([ticketIn(one, 'paid'), ticketIn(other, 'paid')]);
    expect(await ordersOf(sale)).toBe(1);
  });

  it('begins in the second in which the sale opens, whatever the clock of the browser says', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 5 }], startsInMs: 8000 });
    const visitor = await browser.visitor(shop.origin, { shopper: await shopper() });
    await visitor.context.clock.setSystemTime(Date.now() + 3_600_000);
    const page = await visitor.open(`/sales/${sale.id}`);
    const waiting = page.getByRole('button', { name: /Opens in/ });
    await waiting.waitFor();
    expect(await waiting.isDisabled()).toBe(true);
    await screenshot(page, 'shop-upcoming');
    await until('the button to arm itself', () => joinButton(page).isEnabled().catch(() => false), 30_000);
    expect((await shop.api.get(`/sales/${sale.id}`)).body.state).toBe('live');
    await joinButton(page).click();
    await ticketIn(page, 'awaiting_payment');
  });
});
