import { useBrowser } from '../harness/browser.js';
import { axeFindings } from '../harness/axe.js';
import { Shop } from '../harness/shop.js';

describe('a browser', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.open();
  });
  afterAll(() => shop.close());
  const browser = useBrowser();

  it.each(['/', '/ops'])('has a heading at %s, and nothing the policy refuses', async (path) => {
    const page = await (await browser.visitor(shop.origin)).open(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('finds', async () => {
    const page = await (await browser.visitor(shop.origin, { bypassCsp: true })).open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});
