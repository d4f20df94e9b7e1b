import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** WCAG 2.2 at AA, and what axe holds for good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong with the page as it stands, one line a finding; an empty list when nothing. The visit has to bypass the CSP. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axe.source });
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run({ runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] })`);
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')}: ${failureSummary ?? ''}`));
}
