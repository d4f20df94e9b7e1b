import { readFile } from 'node:fs/promises';

const ROOT = new URL('../', import.meta.url);
const REFERENCE = /\| `(test\/[^`]+)` › (.+) \|$/gm;

describe('docs/reliability.md', () => {
  it('names tests that exist', async () => {
    const document = await readFile(new URL('docs/reliability.md', ROOT), 'utf8');
    const references = [...document.matchAll(REFERENCE)].map(([, file = '', name = '']) => ({ file, name }));
    expect(references.length).toBeGreaterThan(20);
    const missing = [];
    for (const { file, name } of references) {
      if (!(await readFile(new URL(file, ROOT), 'utf8')).includes(name)) missing.push(`${file} › ${name}`);
    }
    expect(missing).toEqual([]);
  });
});
