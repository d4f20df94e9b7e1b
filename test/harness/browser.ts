import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { findBrowser } from '../../scripts/lib/binaries.mjs';
import type { ShopperToken } from '../../src/auth/index.js';

/** How long a step in a page may take; a busy machine is slow, and a test that can't go on should still say at which step. */
const STEP_MS = 20_000;
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

/** One visitor's browser: all tabs share what is stored, as those of one person do. */
export class Visitor {
  /** What went wrong in the pages: exceptions nobody caught, and what the content security policy refused. */
  readonly faults: string[] = [];

  constructor(
    readonly context: BrowserContext,
    private readonly origin: string,
  ) {
    context.setDefaultTimeout(STEP_MS);
    context.on('weberror', (error) => this.faults.push(String(error.error().stack)));
    context.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) this.faults.push(message.text());
    });
  }

  /** Opens a path of the service in a new tab. */
  async open(path: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(`${this.origin}${path}`);
    return page;
  }
}

/** Chromium for one spec file. What a test opens is closed after it, and what went wrong in its pages fails it. */
export class TestBrowser {
  private visitors: Visitor[] = [];

  private constructor(private readonly browser: Browser) {}

  static async launch(): Promise<TestBrowser> {
    const executablePath = findBrowser();
    if (!executablePath) throw new Error('no browser: install chromium, or start the tests with npm test');
    // Pages of this very service need no sandbox, and root gets none.
    return new TestBrowser(await chromium.launch({ executablePath, chromiumSandbox: false, args: ['--force-color-profile=srgb', '--font-render-hinting=none'] }));
  }

  /** Somebody with a browser of their own. @param origin where the service answers */
  async visitor(origin: string, visit: Visit = {}): Promise<Visitor> {
    const visitor = new Visitor(await this.browser.newContext(contextOf(origin, visit)), origin);
    this.visitors.push(visitor);
    return visitor;
  }

  /** Closes everybody's tabs. @throws Error when something went wrong in one of them */
  async sendHome(): Promise<void> {
    const gone = this.visitors.splice(0);
    await Promise.all(gone.map(({ context }) => context.close()));
    const faults = gone.flatMap((visitor) => visitor.faults);
    if (faults.length > 0) throw new Error(`in the pages:\n${faults.join('\n')}`);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

/** A browser for the tests of a `describe`. */
export function useBrowser(): { visitor: TestBrowser['visitor'] } {
  let browser: TestBrowser | undefined;
  beforeAll(async () => {
    browser = await TestBrowser.launch();
  });
  afterEach(() => browser?.sendHome());
  afterAll(() => browser?.close());
  return {
    visitor: (origin, visit) => {
      if (!browser) throw new Error('the browser is not open');
      return browser.visitor(origin, visit);
    },
  };
}

function contextOf(origin: string, { shopper, operator, size = DESKTOP, language = 'en', dark = false, bypassCsp = false }: Visit): BrowserContextOptions {
  const localStorage = [...storedSession('session', 'shopper', shopper), ...storedSession('ops', 'operator', operator)];
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
