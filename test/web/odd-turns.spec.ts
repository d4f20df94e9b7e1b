import type { Page } from 'playwright-core';
import type { ShopperToken } from '../../src/auth/index.js';
import { useBrowser } from '../harness/browser.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { joinButton, KETTLE, ticketIn } from './shop-window.js';

const PLAN = { title: 'Kettle hour', items: [{ ...KETTLE, stock: 5, limitPerUser: 5 }] };
/** Keeps a tab from doing anything for a second, as a slow device does. */
const BUSY = 'void setTimeout(() => { const end = performance.now() + 1000; while (performance.now() < end); })';
const COUNT_STORAGE = 'window.heard = 0; addEventListener("storage", () => (window.heard += 1))';
const THEME = 'document.documentElement.dataset.theme';

describe('the shop, when something odd happens,', () => {
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
  const signUp = async (page: Page, name: string): Promise<void> => {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign up', exact: true }).click();
  };
  const joinsOf = (page: Page): string[] => {
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && request.url().endsWith('/tickets') && sent.push(request.url()));
    return sent;
  };

  it('has all tabs agree after quick changes, also while some are busy', async () => {
    const visitor = await browser.visitor(shop.origin, { bypassCsp: true });
    const tabs = [await visitor.open('/'), await visitor.open('/'), await visitor.open('/')];
    const [first, ...others] = tabs;
    if (!first) throw new Error('no tab');
    await Promise.all(tabs.map((tab) => tab.evaluate(COUNT_STORAGE)));
    await Promise.all(others.map((tab) => tab.evaluate(BUSY)));
    await first.getByRole('button', { name: /^Theme/ }).click();
    await first.getByRole('button', { name: /^Theme/ }).click();
    const themes = (): Promise<unknown[]> => Promise.all(tabs.map((tab) => tab.evaluate(THEME)));
    await until('all tabs to have the theme', async () => (await themes()).every((theme) => theme === 'dark'));
    // Two changes are two events in each other tab, and none where they were made.
    expect(await Promise.all(tabs.map((tab) => tab.evaluate('window.heard')))).toEqual([0, 2, 2]);
  });

  it('shows in the own orders of another window what is bought and paid in this one', async () => {
    const sale = await shop.sale(PLAN);
    const visitor = await browser.visitor(shop.origin, { shopper: await shopper() });
    const [page, orders] = [await visitor.open(`/sales/${sale.id}`), await visitor.open('/orders')];
    await orders.getByText('No orders yet').waitFor();
    await joinButton(page).click();
    const ticket = await ticketIn(page, 'awaiting_payment');
    await orders.locator('[data-testid="order"][data-status="awaiting_payment"]').waitFor();
    await ticket.getByRole('button', { name: 'Pay now' }).click();
    await orders.locator('[data-testid="order"][data-status="paid"]').waitFor();
  });

  it('sends a click for nobody but who clicked', async () => {
    const sale = await shop.sale(PLAN);
    const page = await (await browser.visitor(shop.origin, { shopper: await shopper() })).open(`/sales/${sale.id}`);
    const sent = joinsOf(page);
    await page.route('**/tickets', (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', headers: { 'retry-after': '3' }, body: JSON.stringify({ status: 503, code: 'UNAVAILABLE', detail: 'no' }) }));
    await joinButton(page).click();
    await page.getByRole('button', { name: 'Stop trying' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).first().click();
    const before = sent.length;
    await signUp(page, 'somebody-else');
    await joinButton(page).waitFor();
    expect(await page.evaluate('localStorage.getItem("seckill.join")')).toBeNull();
    expect(sent).toHaveLength(before);
  });

  it('does not join for a stranger who has left the sale while signing in', async () => {
    const sale = await shop.sale(PLAN);
    const page = await (await browser.visitor(shop.origin)).open('/');
    const sent = joinsOf(page);
    await page.locator(`a[href="/sales/${sale.id}"]`).click();
    await joinButton(page).click();
    await page.getByLabel('Name').waitFor();
    await page.goBack();
    await signUp(page, 'back-again');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.locator(`a[href="/sales/${sale.id}"]`).click();
    await joinButton(page).waitFor();
    expect(sent).toEqual([]);
  });

  it('says so when the session has ended while an order waits', async () => {
    const sale = await shop.sale(PLAN);
    const made = await shopper();
    const page = await (await browser.visitor(shop.origin, { shopper: made })).open(`/sales/${sale.id}`);
    await joinButton(page).click();
    const ticket = await ticketIn(page, 'awaiting_payment');
    ok(await shop.api.as(made.token).post('/auth/logout'), 204);
    // Its stream may have told before the click did.
    await ticket.getByRole('button', { name: 'Pay now' }).click({ timeout: 2000 }).catch(() => undefined);
    await page.getByRole('alert').filter({ hasText: 'You were signed out' }).waitFor();
  });

  it('keeps the time to pay when the clock of the device is set, also where answers get slower', async () => {
    const sale = await shop.sale(PLAN);
    const page = await (await browser.visitor(shop.origin, { shopper: await shopper(), bypassCsp: true })).open(`/sales/${sale.id}`);
    await joinButton(page).click();
    const ticket = await ticketIn(page, 'awaiting_payment');
    await page.evaluate('{ const { now } = Date; Date.now = () => now() + 3_600_000; }');
    await page.route(`**/api/sales/${sale.id}`, async (route) => {
      const response = await route.fetch();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.fulfill({ response });
    });
    await page.waitForResponse((response) => response.url().endsWith(`/api/sales/${sale.id}`));
    await page.waitForResponse((response) => response.url().endsWith(`/api/sales/${sale.id}`));
    expect(await ticket.getByRole('timer').innerText()).toMatch(/^1[0-5]:\d\d$/);
    expect(await ticket.getByRole('button', { name: 'Pay now' }).isEnabled()).toBe(true);
  });
});
