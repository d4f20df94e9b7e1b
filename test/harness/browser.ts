import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findBrowser } from '../../scripts/lib/binaries.mjs';
import { contextOf, type Visit } from './visit.js';

/** How long a step in a page may take; a busy machine is slow, and a test that can't go on should still say at which step. */
const STEP_MS = 20_000;

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
