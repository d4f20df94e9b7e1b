import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));

/**
 * With `SCREENSHOTS=1` a picture of the page becomes `docs/screenshots/<name>.png`, which docs/web.md shows. Else nothing is
 * written, so that running the tests leaves the documents alone.
 * @param fullPage with what is further down
 */
export async function screenshot(page: Page, name: string, { fullPage = false } = {}): Promise<void> {
  if (process.env.SCREENSHOTS !== '1') return;
  await mkdir(FOLDER, { recursive: true });
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: `${FOLDER}${name}.png`, animations: 'disabled', caret: 'hide', scale: 'css', fullPage });
}
