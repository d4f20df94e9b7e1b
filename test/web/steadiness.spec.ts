import type { Page } from 'playwright-core';
import { axeFindings } from '../harness/axe.js';
import { useBrowser } from '../harness/browser.js';
import { screenshot } from '../harness/screenshots.js';
import { Shop, type TestSale } from '../harness/shop.js';
import { DESKTOP, PHONE } from '../harness/visit.js';

/** More is a jump that eyes see; the sum over a whole visit that counts as good on the web is 0.1. */
const STILL = 0.01;
const SHIFT = 'window.seckillShift';
/** Adds up by how much parts of the page move that nobody has touched, from the opening of the page on. */
const WATCH_SHIFTS = `${SHIFT} = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) ${SHIFT} += entry.value; }).observe({ type: 'layout-shift', buffered: true })`;

describe('a page', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());
  const browser = useBrowser();

  const buyUnits = async (sale: TestSale, units: number): Promise<void> => {
    for (const shopper of await shop.shoppers(units)) await shop.join(shopper, sale);
  };
  const PAGES: [name: string, path: (sale: TestSale) => string, sold: (page: Page, units: number) => Promise<unknown>][] = [
    ['the shop', ({ id }) => `/sales/${id}`, (page, units) => page.getByText(`${300 - units} of 300 left`).waitFor()],
    ['the console', ({ id }) => `/ops/sales/${id}`, (page, units) => page.locator(`[data-step="joins"][aria-label*="${units}"]`).waitFor()],
  ];

  it.each(PAGES.flatMap(([name, ...page]) => [PHONE, DESKTOP].map((size) => [name, size.width, ...page, size] as const)))('of %s does not jump at %i pixels while it loads and its numbers run', async (_name, _width, path, sold, size) => {
    const sale = await shop.sale({ items: [{ stock: 300 }] });
    await buyUnits(sale, 1);
    const page = await (await browser.visitor(shop.origin, { operator: shop.operatorSession, bypassCsp: true, size })).open(path(sale));
    await sold(page, 1);
    await page.evaluate(WATCH_SHIFTS);
    await buyUnits(sale, 60);
    await sold(page, 61);
    expect(await page.evaluate(SHIFT)).toBeLessThan(STILL);
  });

  it.each([
    ['shop', '/', /\/api\/sales$/, 'The shop could not be reached.'],
    ['console', '/ops', /\/api\/admin\/sales(\?|$)/, 'The service does not answer.'],
  ])('of the %s says that it is loading, and what went wrong, and goes on when it can', async (name, path, calls, fault) => {
    const sale = await shop.sale({ items: [{ stock: 3 }] });
    const visitor = await browser.visitor(shop.origin, { operator: shop.operatorSession, bypassCsp: true });
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await visitor.context.route(calls, async (route) => {
      await held;
      await route.abort();
    });
    const page = await visitor.open(path);
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    await screenshot(page, `${name}-loading`);
    letGo();
    await page.getByText(fault).first().waitFor();
    await screenshot(page, `${name}-failed`);
    expect(await axeFindings(page)).toEqual([]);
    await visitor.context.unroute(calls);
    await page.locator(`a[href$="/sales/${sale.id}"]`).waitFor();
  });
});
