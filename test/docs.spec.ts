import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

const ROOT = new URL('../', import.meta.url);
const REFERENCE = /\| `(test\/[^`]+)` › (.+) \|$/gm;
const LINK = /\]\(([^)\s]+)\)/g;

const textOf = (path: string | URL): Promise<string> => readFile(new URL(path, ROOT), 'utf8');

describe('docs/reliability.md', () => {
  it('names tests that exist', async () => {
    const document = await textOf('docs/reliability.md');
    const references = [...document.matchAll(REFERENCE)].map(([, file = '', name = '']) => ({ file, name }));
    expect(references.length).toBeGreaterThan(20);
    const missing = [];
    for (const { file, name } of references) {
      if (!(await textOf(file)).includes(name)) missing.push(`${file} › ${name}`);
    }
    expect(missing).toEqual([]);
  });
});

describe('the documents', () => {
  it('lead to files and headings that exist', async () => {
    const seen: string[] = [];
    const broken: string[] = [];
    const inDocs = (await readdir(new URL('docs', ROOT), { recursive: true })).filter((name) => name.endsWith('.md'));
    for (const path of ['README.md', 'ARCHITECTURE.md', ...inDocs.map((name) => `docs/${name}`)]) {
      for (const [, link = ''] of (await textOf(path)).matchAll(LINK)) {
        if (/^[a-z]+:/.test(link)) continue;
        seen.push(link);
        if (!(await leadsSomewhere(link, path))) broken.push(`${path}: ${link}`);
      }
    }
    expect(seen.length).toBeGreaterThan(30);
    expect(broken).toEqual([]);
  });
});

async function leadsSomewhere(link: string, from: string): Promise<boolean> {
  const target = new URL(link, new URL(from, ROOT));
  const heading = decodeURIComponent(target.hash.slice(1));
  target.hash = '';
  if (!existsSync(target)) return false;
  return heading === '' || headingsOf(await textOf(target)).includes(heading);
}

/** As GitHub names them: lower case, letters, digits and hyphens. */
const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replace(/[^\p{L}\p{N}\s-]/gu, '').replaceAll(' ', '-'));
