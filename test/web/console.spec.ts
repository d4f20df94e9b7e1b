import type { Locator, Page } from 'playwright-core';
import { useBrowser } from '../harness/browser.js';
import { screenshot } from '../harness/screenshots.js';
import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { KETTLE } from './shop-window.js';

describe("the operator's console", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
    shop.bePatient();
  });
  afterAll(() => shop.close());
  const browser = useBrowser();

  const open = async (path: string): Promise<Page> => (await browser.visitor(shop.origin, { operator: shop.operatorSession })).open(path);
  const pull = async (page: Page, lever: string, fill?: (dialog: Locator) => Promise<void>): Promise<void> => {
    await page.getByTestId(`lever-${lever}`).click();
    await fill?.(page.getByRole('dialog'));
    await page.getByTestId('confirm').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const saleNow = async ({ id }: TestSale): Promise<any> => ok(await shop.operator.get(`/admin/sales/${id}`), 200).body; // eslint-disable-line @typescript-eslint/no-explicit-any -- a sale
  /** Ten at a time join; one of them pays. */
  const crowdAt = (sale: TestSale): { goHome: () => Promise<void> } => {
    let isOver = false;
    const comes = async (): Promise<void> => {
      const [payer, ...others] = await shop.shoppers(10);
      await Promise.all(others.map((shopper) => shop.join(shopper, sale)));
      if (!payer || (await shop.join(payer, sale)).status !== 202) return;
      const { orderId } = await shop.ticketWhen(payer, sale, ['awaiting_payment']);
      ok(await payer.post(`/orders/${orderId}/pay`), 200);
    };
    const coming = (async () => {
      while (!isOver) await comes();
    })();
    return { goHome: () => ((isOver = true), coming) };
  };

  it('lets operators in, and nobody with a wrong password or another role', async () => {
    const page = await (await browser.visitor(shop.origin)).open('/ops');
    const signIn = async (username: string, password: string): Promise<void> => {
      await page.getByLabel('Username').fill(username);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await signIn('operator', 'wrong');
    await page.getByText('Wrong username or password.').waitFor();
    ok(await shop.api.post('/auth/register', { username: 'eve', password: 'correct horse' }), 201);
    await signIn('eve', 'correct horse');
    await page.getByText('not an operator').waitFor();
    await signIn('operator', 'operator-demo');
    await page.getByRole('heading', { name: 'Sales', level: 1 }).waitFor();
  });

  it('shows at the field what the API does not take, and makes goods and a sale of what it does', async () => {
    const page = await open('/ops/goods/new');
    await page.getByRole('button', { name: 'Save' }).click();
    const title = page.getByLabel('Title');
    await until('the fault at the field', async () => (await title.getAttribute('aria-invalid')) === 'true');
    expect(await title.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.getByText('Write an amount, 19.90 for instance.').waitFor();
    await screenshot(page, 'console-faults');
    await title.fill('Kettle');
    await page.getByLabel('List price').fill('45.00');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Kettle').first().waitFor();

    await page.goto(`${shop.origin}/ops/sales/new`);
    await page.getByLabel('Title').fill('Kettle hour');
    await page.getByLabel('Goods', { exact: true }).selectOption({ label: 'Kettle' });
    await page.getByLabel(/^Price/).fill('29');
    await page.getByRole('button', { name: 'Create draft' }).click();
    await until('the fault at the stock', async () => (await page.getByLabel('Stock', { exact: true }).getAttribute('aria-invalid')) === 'true');
    await page.getByLabel('Stock', { exact: true }).fill('20');
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByTestId('lever-publish').waitFor();
    await pull(page, 'publish');
    await until('the sale to be seen', async () => (await shop.api.get('/sales')).body.sales.some(({ title: name }: { title: string }) => name === 'Kettle hour'));
  });

  it('has levers that work while a crowd runs, and says who pulled them', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 5000 }] });
    const page = await open(`/ops/sales/${sale.id}`);
    await page.locator('[data-testid="proof"][data-proof="ok"]').waitFor();
    const crowd = crowdAt(sale);
    try {
      await until('a unit to be sold', async () => ok(await shop.operator.get(`/admin/sales/${sale.id}/stats`), 200).body.items[0].sold > 0);
      await pull(page, 'pause');
      expect((await shop.join(await shop.shopper(), sale)).body.code).toBe('PAUSED');
      await pull(page, 'resume');
      expect((await saleNow(sale)).state).toBe('live');
      await pull(page, 'preload');
      const endsAt = `${new Date(Date.now() + 7_200_000).toISOString().slice(0, 16)}:00.000Z`;
      await pull(page, 'extend', (dialog) => dialog.getByLabel('New end').fill(endsAt.slice(0, 16)));
      await pull(page, 'stock', (dialog) => dialog.getByLabel('Units').fill('25'));
      await until('the stock to be more', async () => (await saleNow(sale)).items[0].stock === 5025);
      await pull(page, 'stock', async (dialog) => {
        await dialog.getByLabel('Withdraw').check();
        await dialog.getByLabel('Units').fill('10');
      });
      await until('units to be withdrawn', async () => (await saleNow(sale)).items[0].stock === 5015);
      await pull(page, 'limit', (dialog) => dialog.getByLabel('New limit').fill('2'));
      expect(await saleNow(sale)).toMatchObject({ endsAt, items: [{ limitPerUser: 2 }] });
      await screenshot(page, 'console-crowd', { fullPage: true });
      await pull(page, 'end');
      expect((await saleNow(sale)).state).toBe('ended');
    } finally {
      await crowd.goHome();
    }
    for (const action of ['Paused', 'Resumed', 'Edited', 'Stock', 'Limit', 'Ended']) await page.locator('section', { hasText: 'Who changed what' }).getByText(action, { exact: true }).first().waitFor();
    await page.getByTestId('prove').click();
    await page.locator('[data-testid="proof"][data-proof="ok"]').waitFor();
    const card = (title: string): Locator => page.locator('section', { has: page.getByRole('heading', { name: title }) });
    for (const [title, figure] of [['Stock by place', /Withdrawn\s*10\b/], ['Stock by place', /Paid\s*[1-9]/], ['Refusals', /Paused\s*[1-9]/], ['Wait from join to order', /[1-9][\d.]* m?s/]] as const) {
      await card(title).filter({ hasText: figure }).waitFor();
    }
  }, 120_000);

  it('changes the stock once where the answer was lost, and takes no number below one', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 20 }] });
    const page = await open(`/ops/sales/${sale.id}`);
    let lost = 0;
    await page.route('**/stock', async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByTestId('lever-stock').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Withdraw').check();
    await dialog.getByLabel('Units').fill('-5');
    await page.getByTestId('confirm').click();
    await dialog.getByText('Write how many units').waitFor();
    await dialog.getByLabel('Add').check();
    await dialog.getByLabel('Units').fill('100');
    await page.getByTestId('confirm').click();
    await dialog.getByText('The service does not answer').waitFor();
    await page.getByTestId('confirm').click();
    await dialog.waitFor({ state: 'detached' });
    expect((await saleNow(sale)).items[0].stock).toBe(120);
  });

  it('names the odd tokens where the proof is not ok', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 3 }] });
    const [serial] = await shop.redis.lrange(`seckill:{${sale.id}:0}:stock:${sale.itemIds[0]}`, 0, 0);
    await shop.redis.lpush(`seckill:{${sale.id}:0}:stock:${sale.itemIds[0]}`, serial ?? '');
    const page = await open(`/ops/sales/${sale.id}`);
    await page.locator('[data-testid="proof"][data-proof="odd"]').waitFor();
    await page.getByRole('rowheader', { name: serial ?? '', exact: true }).waitFor();
    await screenshot(page, 'console-odd', { fullPage: true });
  });

  it('looks whether a sale is ready', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 3 }], startsInMs: 600_000, endsInMs: 900_000 });
    const page = await open(`/ops/sales/${sale.id}`);
    await page.getByTestId('check-readiness').click();
    await page.getByTestId('readiness').getByText('Tokens loaded').waitFor();
    await screenshot(page, 'console-readiness', { fullPage: true });
  });

  it('finds an order, exports the orders of a sale, and refunds one', async () => {
    const sale = await shop.sale({ title: 'Kettle hour', items: [{ ...KETTLE, stock: 3 }] });
    const [{ username, token } = { username: '', token: '' }] = await shop.tokens(1);
    const shopper = shop.api.as(token);
    const { orderId } = await shop.buy(shopper, sale);
    ok(await shopper.post(`/orders/${orderId}/pay`), 200);
    await shop.ticketWhen(shopper, sale, ['paid']);
    const page = await open(`/ops/sales/${sale.id}/orders`);
    await page.getByLabel('Username').fill(`${username}x`);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No orders match').waitFor();
    await page.getByLabel('Username').fill(username);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator(`a[href="/ops/orders/${orderId}"]`).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /CSV/ }).first().click()]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    await page.locator(`a[href="/ops/orders/${orderId}"]`).first().click();
    await page.getByTestId('refund').click();
    await page.getByTestId('confirm').click();
    await until('the order to be refunded', async () => ok(await shop.operator.get(`/admin/orders/${orderId}`), 200).body.status === 'refunded');
    await page.getByText('Refunded', { exact: true }).first().waitFor();
    await screenshot(page, 'console-order');
  });

  it('rehearses by a button, and reports', async () => {
    const page = await open('/ops/rehearsals');
    await page.locator('form').getByLabel('Shoppers').fill('60');
    await page.locator('form').getByLabel('Stock').fill('20');
    await page.getByTestId('start-rehearsal').click();
    await page.getByTestId('confirm').click();
    await page.getByText('ok: every unit in exactly one place').waitFor({ timeout: 60_000 });
    await screenshot(page, 'console-rehearsal', { fullPage: true });
  }, 120_000);

  it("leads to Bull's dashboard", async () => {
    const page = await open('/ops');
    await page.getByRole('button', { name: 'Queues' }).click();
    await page.waitForURL('**/ops/queues');
    await page.getByText('drain').first().waitFor();
  });
});
