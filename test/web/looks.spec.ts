import type { Page } from 'playwright-core';
import type { ShopperToken } from '../../src/auth/index.js';
import { axeFindings } from '../harness/axe.js';
import { useBrowser } from '../harness/browser.js';
import { screenshot } from '../harness/screenshots.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { DESKTOP, PHONE, type Visit } from '../harness/visit.js';
import { holdLine, isTooWide, joinButton, KETTLE, ticketIn } from './shop-window.js';

const CHINESE = /[\u4e00-\u9fff]/;

describe('how the pages look', () => {
  let shop: Shop;
  let open: TestSale;
  let held: TestSale;
  let paused: TestSale;
  let over: TestSale;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
    open = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 40 }, { title: 'Tea pot', stock: 3, priceMinor: 2450, listPriceMinor: 3900 }] });
    held = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 5 }] });
    await holdLine(shop, held);
    paused = await shop.sale({ title: 'Tea time', items: [{ ...KETTLE, stock: 5 }] });
    ok(await shop.operator.post(`/admin/sales/${paused.id}/pause`), 200);
    over = await shop.sale({ title: 'Last week', items: [{ ...KETTLE, stock: 5 }] });
    ok(await shop.operator.post(`/admin/sales/${over.id}/end`), 200);
    await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 5 }], startsInMs: 3_600_000, endsInMs: 7_200_000 });
    await shop.buy(await shop.shopper(), open);
  });
  afterAll(() => shop.close());
  const browser = useBrowser();

  const shopper = async (): Promise<ShopperToken> => (await shop.tokens(1))[0] ?? { username: '', token: '' };
  const inLine = async (page: Page): Promise<void> => {
    await joinButton(page).click();
    await ticketIn(page, 'queued');
  };
  const withOrder = async (): Promise<ShopperToken> => {
    const made = await shopper();
    await shop.buy(shop.api.as(made.token), open);
    return made;
  };
  /** Name, address, who looks at it, and what has to be there. */
  const PAGES: [name: string, path: () => string, visit: () => Promise<Visit>, ready: (page: Page) => Promise<unknown>][] = [
    ['shop', () => '/', async () => ({}), (page) => page.locator(`a[href="/sales/${open.id}"]`).waitFor()],
    ['shop-sale', () => `/sales/${open.id}`, async () => ({ shopper: await shopper() }), (page) => page.getByRole('heading', { level: 1 }).waitFor()],
    ['shop-paused', () => `/sales/${paused.id}`, async () => ({ shopper: await shopper() }), (page) => page.getByRole('button', { name: 'Paused' }).waitFor()],
    ['shop-over', () => `/sales/${over.id}`, async () => ({ shopper: await shopper() }), (page) => page.getByRole('button', { name: 'Sale is over' }).waitFor()],
    ['shop-ticket', () => `/sales/${open.id}`, async () => ({ shopper: await withOrder() }), (page) => ticketIn(page, 'awaiting_payment')],
    ['shop-line', () => `/sales/${held.id}`, async () => ({ shopper: await shopper() }), inLine],
    ['shop-orders', () => '/orders', async () => ({ shopper: await withOrder() }), (page) => page.getByTestId('order').waitFor()],
    ['shop-nothing', () => '/orders', async () => ({ shopper: await shopper() }), (page) => page.getByText(/No orders yet|还没有/).waitFor()],
    ['console-sign-in', () => '/ops', async () => ({}), (page) => page.getByRole('heading', { level: 1 }).waitFor()],
    ['console-sales', () => '/ops', async () => ({ operator: shop.operatorSession }), (page) => page.locator(`a[href="/ops/sales/${open.id}"]`).waitFor()],
    ['console-sale', () => `/ops/sales/${open.id}`, async () => ({ operator: shop.operatorSession }), (page) => page.locator('[data-testid="proof"][data-proof="ok"]').waitFor()],
    ['console-orders', () => `/ops/sales/${open.id}/orders`, async () => ({ operator: shop.operatorSession }), (page) => page.locator('a[href^="/ops/orders/"]').first().waitFor()],
    ['console-nothing', () => `/ops/sales/${held.id}/orders`, async () => ({ operator: shop.operatorSession }), (page) => page.getByText('No orders match').waitFor()],
    ['console-goods', () => '/ops/goods', async () => ({ operator: shop.operatorSession }), (page) => page.getByRole('table').waitFor()],
    ['console-edit-sale', () => `/ops/sales/${held.id}/edit`, async () => ({ operator: shop.operatorSession }), (page) => page.getByLabel('Title').waitFor()],
    ['console-report', () => `/ops/sales/${open.id}/report`, async () => ({ operator: shop.operatorSession }), (page) => page.getByRole('table').first().waitFor()],
    ['console-new-sale', () => '/ops/sales/new', async () => ({ operator: shop.operatorSession }), (page) => page.getByRole('button', { name: 'Create draft' }).waitFor()],
    ['console-rehearsals', () => '/ops/rehearsals', async () => ({ operator: shop.operatorSession }), (page) => page.getByTestId('start-rehearsal').waitFor()],
  ];

  it.each(PAGES)('has nothing that axe finds wrong in %s, light or dark, and fits a phone', async (name, path, visit, ready) => {
    for (const dark of [false, true]) {
      const page = await (await browser.visitor(shop.origin, { ...(await visit()), dark, bypassCsp: true, size: DESKTOP })).open(path());
      await ready(page);
      await screenshot(page, `${name}-${dark ? 'dark' : 'light'}`, { fullPage: true });
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize(PHONE);
      expect({ dark, isTooWide: await isTooWide(page) }).toEqual({ dark, isTooWide: false });
      if (!dark) await screenshot(page, `${name}-phone`);
    }
  });

  it.each(['/', '/orders', '/ops'])('is in Chinese at %s for who prefers it', async (path) => {
    const page = await (await browser.visitor(shop.origin, { language: 'zh', bypassCsp: true })).open(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('zh-CN');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(CHINESE);
    await screenshot(page, `zh-${path === '/ops' ? 'console' : path === '/' ? 'shop' : 'orders'}`);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('stays in the language and the theme that were chosen', async () => {
    const page = await (await browser.visitor(shop.origin)).open('/');
    await page.getByRole('button', { name: '切换到中文' }).click();
    await page.getByRole('button', { name: /主题|外观/ }).click();
    await page.reload();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(CHINESE);
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
  });
});
