import { ok, Shop, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';

const SALES = 8;
const ALL = ['sale.opened', 'sale.sold_out', 'sale.ended'];

/** What is said of a sale when its last unit and its end come close together. */
describe('a sale that sells out in its last moment', () => {
  let shop: Shop;
  afterEach(() => shop.close());

  const toldOf = async (sale: TestSale): Promise<string[]> => {
    const rows: { type: string }[] = await shop.database.query('SELECT type FROM sale_events WHERE sale_id = ? ORDER BY id', [sale.id]);
    return rows.map(({ type }) => type);
  };
  const toldInTheEnd = (sale: TestSale): Promise<string[]> => until('the end to be told', async () => {
    const types = await toldOf(sale);
    return types.includes('sale.ended') && types;
  }, 30_000);
  const end = async (sale: TestSale): Promise<void> => void ok(await shop.operator.post(`/admin/sales/${sale.id}/end`), 200);

  it('is told to be sold out, and then to have ended', async () => {
    shop = await Shop.open();
    const sales: TestSale[] = [];
    for (let i = 0; i < SALES; i += 1) {
      const sale = await shop.sale({ items: [{ stock: 1 }] });
      await shop.buy(await shop.shopper(), sale);
      await end(sale);
      sales.push(sale);
    }
    for (const sale of sales) expect(await toldInTheEnd(sale)).toEqual(ALL);
  }, 60_000);

  it('is told so, too, where its line is served only after the end', async () => {
    shop = await Shop.open({}, ['api', 'scheduler']);
    const sale = await shop.sale({ items: [{ stock: 1 }] });
    const shopper = await shop.shopper();
    ok(await shop.join(shopper, sale), 202);
    await end(sale);
    await shop.start(['worker']);
    await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    expect(await toldInTheEnd(sale)).toEqual(ALL);
  }, 60_000);

  it('is told to have ended, and nothing else, where units are left', async () => {
    shop = await Shop.open();
    const sale = await shop.sale({ items: [{ stock: 2 }] });
    await until('it to be opened', async () => (await toldOf(sale)).length === 1);
    await shop.buy(await shop.shopper(), sale);
    await end(sale);
    expect(await toldInTheEnd(sale)).toEqual(['sale.opened', 'sale.ended']);
  }, 60_000);
});
