/**
 * `npm run test:faults [-- [--locks-open] [<arguments of jest>]]`: the fault suite; with `--locks-open` every lock is granted to everyone.
 * A whole run writes the table of docs/reliability.md anew, one of a part renews the rows of what it ran.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runMain } from './lib/console.mjs';
import { projectRoot, requireNode } from './lib/project.mjs';
import { nodeCommand, outliveCommands, run } from './lib/run.mjs';
import { readSettings } from './lib/settings.mjs';

const LOCKS_OPEN = '--locks-open';
const DOCUMENT = join(projectRoot, 'docs', 'reliability.md');
const TABLE = /(<!-- written by npm run test:faults -->\n)[^]*(<!-- end -->)/;
const HEAD = ['| fault | moment | runs | breaks | runs, every lock open | breaks |', '| --- | --- | --: | --: | --: | --: |'];
const ROW = /^\| (.+ \| .+) \| (\d+ \| \d+) \| (\d+ \| \d+) \|$/gm;

/** @typedef {{ fault: string, moment: string, breaks: string[] }} Outcome */

await runMain(async () => {
  requireNode();
  outliveCommands();
  const areLocksOpen = process.argv.includes(LOCKS_OPEN);
  const args = process.argv.slice(2).filter((arg) => arg !== LOCKS_OPEN);
  const { dataDir } = readSettings();
  mkdirSync(dataDir, { recursive: true });
  const results = join(dataDir, `faults-${process.pid}.jsonl`);
  writeFileSync(results, '');
  const env = { ...process.env, FAULT_RESULTS: results, ...(areLocksOpen && { LOCKS: 'open' }) };
  const code = await run(nodeCommand, ['scripts/test.mjs', '-c', 'jest.faults.config.mjs', 'faults.spec', ...args], { env });
  const outcomes = readFileSync(results, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  writeTable(outcomes, areLocksOpen, args.length === 0);
  rmSync(results);
  return code;
});

/** The two columns of this kind of run are new, those of the other one stay. @param {Outcome[]} outcomes @param {boolean} areLocksOpen @param {boolean} isWhole */
function writeTable(outcomes, areLocksOpen, isWhole) {
  const document = readFileSync(DOCUMENT, 'utf8');
  const before = new Map([...document.matchAll(ROW)].map(([, name = '', usual, open]) => [name, { usual, open }]));
  const rows = [...new Set([...(isWhole ? [] : before.keys()), ...outcomes.map(nameOf)])].map((name) => {
    const runs = outcomes.filter((outcome) => nameOf(outcome) === name);
    const now = runs.length > 0 ? figures(runs) : before.get(name)?.[areLocksOpen ? 'open' : 'usual'];
    const { usual = '0 | 0', open = '0 | 0' } = before.get(name) ?? {};
    return areLocksOpen ? `| ${name} | ${usual} | ${now} |` : `| ${name} | ${now} | ${open} |`;
  });
  writeFileSync(DOCUMENT, document.replace(TABLE, (_, begin, end) => `${begin}\n${[...HEAD, ...rows].join('\n')}\n\n${end}`));
}

/** @param {Outcome} outcome */
function nameOf({ fault, moment }) {
  return `${fault} | ${moment}`;
}

/** @param {Outcome[]} runs */
function figures(runs) {
  return `${runs.length} | ${runs.reduce((total, { breaks }) => total + breaks.length, 0)}`;
}
