import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { ordersPerTicket } from '../harness/claims.js';
import { ok, Shop } from '../harness/shop.js';
import { until } from '../harness/until.js';

/** Rows another transaction has written: more than the drain's, so that MySQL chooses the drain as the one to give up. */
const WEIGHT = 3000;

describe('a drain that MySQL chooses as the victim of a deadlock', () => {
  let shop: Shop;
  let other: Connection;
  beforeAll(async () => {
    shop = await Shop.open();
    other = await createConnection(shop.services.databaseUrl);
  });
  afterAll(async () => {
    await other.end();
    await shop.close();
  });

  it('commits the batch once, at its next try', async () => {
    const sale = await shop.sale({ items: [{ stock: 5 }] });
    const [itemId] = sale.itemIds;
    const shopper = await shop.shopper();
    await other.beginTransaction();
    await other.query(`INSERT INTO goods (title, list_price_minor, currency, created_at, updated_at) VALUES ${Array(WEIGHT).fill(`('x', 1, 'EUR', NOW(), NOW())`).join(',')}`);
    await other.query('SELECT id FROM sale_items WHERE id = ? FOR UPDATE', [itemId]);
    ok(await shop.join(shopper, sale), 202);
    await until('the drain to wait for the other transaction', () => waitsForItem(shop));

    // The drain has the token's row and waits for the item's; this closes the circle.
    const [tokens] = await other.query<RowDataPacket[]>('SELECT serial FROM held_tokens WHERE sale_item_id = ? FOR UPDATE', [itemId]);
    expect(tokens).toEqual([]);
    await other.rollback();

    await shop.ticketWhen(shopper, sale, ['awaiting_payment']);
    expect(await ordersPerTicket(shop, sale)).toEqual([1]);
    expect(await shop.proof(sale)).toMatchObject({ ok: true, items: [{ held: 1, inList: 4 }] });
  });
});

/** Whether the drain's update of the item has been hanging for a while; the server shows the connections of our own account. */
async function waitsForItem(shop: Shop): Promise<boolean> {
  const sql = `SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'UPDATE sale\\_items SET sold%' AND DB = DATABASE()`;
  const hanging = async (): Promise<string> => JSON.stringify(await shop.database.query(sql));
  const first = await hanging();
  return first !== '[]' && until('another look', async () => (await hanging()) === first);
}
