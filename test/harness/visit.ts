import type { BrowserContextOptions } from 'playwright-core';
import type { ShopperToken } from '../../src/auth/index.js';

const DAY_MS = 86_400_000;

/** A phone of the narrow kind, as pixels of a page. */
export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 800 };

/** Who looks at the pages, and with what. */
export interface Visit {
  /** Signed in at the shop. Without it a stranger. */
  shopper?: ShopperToken;
  /** Signed in at the console. */
  operator?: ShopperToken;
  size?: { width: number; height: number };
  language?: 'en' | 'zh';
  dark?: boolean;
  /** Lets the test put scripts into the page, which the page's own policy forbids. */
  bypassCsp?: boolean;
}

/** The browser of a visitor of the pages that are at an origin. */
export function contextOf(origin: string, { shopper, operator, size = DESKTOP, language = 'en', dark = false, bypassCsp = false }: Visit): BrowserContextOptions {
  const localStorage = [...storedSession('shopper', 'shopper', shopper), ...storedSession('console', 'operator', operator)];
  return {
    viewport: size,
    hasTouch: size.width < 500,
    locale: language === 'zh' ? 'zh-CN' : 'en-GB',
    timezoneId: 'UTC',
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    bypassCSP: bypassCsp,
    storageState: { cookies: [], origins: [{ origin, localStorage }] },
  };
}

/** As the pages keep it (`web/src/shared/session.ts`). */
function storedSession(name: string, role: string, user: ShopperToken | undefined): { name: string; value: string }[] {
  if (!user) return [];
  const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
  return [{ name: `seckill.${name}`, value: JSON.stringify({ ...user, role, expiresAt }) }];
}
