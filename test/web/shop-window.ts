import type { Locator, Page } from 'playwright-core';
import { saleKeys } from '../../src/goods/index.js';
import { RedisConnections } from '../../src/infra/redis/index.js';
import type { Shop, TestSale } from '../harness/shop.js';

/** How long a state of the service may take to show in a page. */
const SHOWN_MS = 30_000;

/** What is on sale in the pictures. */
export const KETTLE = { title: 'Kettle, 1.5 l', priceMinor: 1990, listPriceMinor: 4900 };

/** A sale of which a single shopper can buy out all. */
export const LAST_KETTLE = { title: 'Kettle hour', items: [{ ...KETTLE, stock: 1 }] };

/** The ticket of the page, once it has this status. */
export async function ticketIn(page: Page, status: string): Promise<Locator> {
  const ticket = page.locator(`[data-testid="ticket"][data-status="${status}"]`);
  await ticket.waitFor({ timeout: SHOWN_MS });
  return ticket;
}

export const joinButton = (page: Page): Locator => page.getByRole('button', { name: /^(Join the line|Try anyway|Join again)$/ });

/** Takes the line of a sale's first shard away from the workers, so that who joins stays in it. Answers how to give it back. */
export async function holdLine(shop: Shop, sale: TestSale): Promise<() => Promise<void>> {
  const [redis, key] = [shop.get(RedisConnections).work, saleKeys.sale({ saleId: sale.id, shard: 0 })];
  await redis.hset(key, { drainId: 'hangs', leaseUntilMs: Date.now() + 600_000 });
  return async () => void (await redis.hdel(key, 'drainId', 'leaseUntilMs'));
}

/** Presses Tab until what has the focus is found, as somebody without a mouse does. */
export async function tabTo(page: Page, what: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await what.evaluate((element) => element === element.ownerDocument.activeElement)) return;
  }
  throw new Error('it is not reached with the keyboard');
}

/** Whether something sticks out at the side. */
export const isTooWide = (page: Page): Promise<boolean> => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
