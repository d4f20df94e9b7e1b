import { DataSource } from 'typeorm';
import { Accounts } from '../auth/index.js';
import type { Settings } from '../config/index.js';
import { GoodsCatalogue, SaleEditor, SaleReader, SaleStages, type Sale } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { select, text } from '../infra/database/index.js';
import { ownAddress } from '../infra/http/index.js';
import { print, withApplication } from './context.js';
import type { INestApplicationContext } from '@nestjs/common';

const TITLE = 'Demo: kitchen classics';
const OPENS_AFTER_MS = 20_000;
const LASTS_MS = 24 * 3600 * 1000;
const OFFERS = [
  { title: 'Moka pot, 6 cups', description: 'Polished aluminium, makes a strong coffee on any stove.', listPriceMinor: 3490, priceMinor: 1290, stock: 1000, limitPerUser: 2 },
  { title: 'Cast-iron pan, 26 cm', description: 'Pre-seasoned, heavy, will outlive you.', listPriceMinor: 5900, priceMinor: 1990, stock: 200, limitPerUser: 1 },
  { title: 'Chef\'s knife, 20 cm', description: 'Forged stainless steel with an oak handle.', listPriceMinor: 12900, priceMinor: 4900, stock: 50, limitPerUser: 1 },
];

/** `demo`: makes sure that the operator and a demo sale that can be bought from exist, and prints the way from sign-up to paid order. */
export async function createDemo(): Promise<void> {
  await withApplication(
    async (app, settings) => {
      await app.get(Accounts).ensureOperator(settings.OPERATOR_USERNAME, settings.OPERATOR_PASSWORD);
      print(describe(await demoSale(app), settings));
    },
    ['api'],
  );
}

/** The demo sale that can be bought from; a new one where there is none. */
export const demoSale = async (app: INestApplicationContext): Promise<Sale> => (await findDemo(app)) ?? makeDemo(app);

/** A demo sale that is open or about to open, with something left of its first item. */
async function findDemo(app: INestApplicationContext): Promise<Sale | null> {
  const [row] = await select(
    app.get(DataSource),
    `SELECT s.id FROM sales s WHERE s.title = ? AND s.state = 'published' AND s.ends_at > ?
        AND EXISTS (SELECT 1 FROM sale_items i WHERE i.sale_id = s.id AND i.sold < i.stock) ORDER BY s.id DESC LIMIT 1`,
    [TITLE, new Date(app.get(RedisClock).nowMs() + 3600 * 1000)],
  );
  return row ? app.get(SaleReader).get(text(row, 'id')) : null;
}

async function makeDemo(app: INestApplicationContext): Promise<Sale> {
  const items = [];
  for (const { title, description, listPriceMinor, ...offer } of OFFERS) {
    const goods = await app.get(GoodsCatalogue).add({ title, description, listPriceMinor, currency: 'EUR' });
    items.push({ goodsId: goods.id, ...offer });
  }
  const now = app.get(RedisClock).nowMs();
  const window = { startsAt: new Date(now + OPENS_AFTER_MS).toISOString(), endsAt: new Date(now + LASTS_MS).toISOString() };
  const draft = await app.get(SaleEditor).create({ title: TITLE, ...window, items });
  return app.get(SaleStages).change(draft.id, 'publish', null);
}

function describe(sale: Sale, settings: Settings): string {
  const root = ownAddress(settings);
  const api = `${root}/api`;
  const shopper = `shopper-${Date.now().toString(36)}`;
  const json = `-H 'content-type: application/json'`;
  const bearer = `-H "authorization: Bearer $TOKEN"`;
  return `
  Shop           ${root}                   Console  ${root}/ops
  Service        ${api}
  API reference  ${root}/docs
  Health         ${root}/health/ready      Metrics  ${root}/metrics
  Operator       ${settings.OPERATOR_USERNAME}, password as in OPERATOR_PASSWORD (.env)
  Sale ${sale.id}         "${sale.title}", ${sale.startsAt.getTime() > Date.now() ? `opens ${sale.startsAt.toISOString()}` : 'open'}

  Buy something, step by step:

  1. sign up    TOKEN=$(curl -s ${api}/auth/register ${json} -d '{"username":"${shopper}","password":"try-it-out"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  2. look       curl -s ${api}/sales/${sale.id}
  3. join       curl -s ${api}/sales/${sale.id}/tickets ${bearer} ${json} -d '{"items":[{"itemId":"${sale.items[0]?.id ?? ''}","quantity":1}]}'
  4. follow     (again, until it says awaiting_payment)
                curl -s ${api}/sales/${sale.id}/ticket ${bearer}
  5. the order  ORDER=$(curl -s ${api}/sales/${sale.id}/ticket ${bearer} | sed 's/.*"orderId":"\\([^"]*\\)".*/\\1/')
  6. pay        curl -s -X POST ${api}/orders/$ORDER/pay ${bearer}
  7. look back  (the sandbox confirms within a second)
                curl -s ${api}/orders/$ORDER ${bearer}
`;
}
