/** `npm run bench`: measures, writes the report, and says what was met. Set up by scripts/bench.mjs. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepted, regressions, TOLERANCE } from './check.js';
import { commandLine, namesIn, optionsOf } from './command-line.js';
import { Lab } from './lab.js';
import { FULL, partsOf, SELECTION } from './plan.js';
import { toMarkdown } from './report/markdown.js';
import { lookAround, type Report } from './report/report.js';
import { toSvg } from './report/svg.js';

const RESULTS = 'bench/results';
const BASELINE = 'bench/baseline.json';
/** A part that hangs is given up, and counts as failed. */
const PART_TIMEOUT_MS = 6 * 60_000;

const { options, parts: PARTS, wanted } = commandLine('bench', () => {
  const given = optionsOf({
    full: { type: 'boolean', default: false },
    /** Compares with the baseline, and fails where a ratio has become worse. */
    check: { type: 'boolean', default: false },
    /** Makes what was measured the baseline. */
    accept: { type: 'boolean', default: false },
    /** Parts, with commas between them. */
    only: { type: 'string' },
    /** A folder for CPU profiles of the service's processes and of the bare routes. */
    profile: { type: 'string' },
  });
  const parts = partsOf(given.full ? FULL : SELECTION);
  return { options: given, parts, wanted: namesIn('only', given.only, Object.keys(parts)) };
});

const say = (text: string): void => void process.stderr.write(`[bench] ${text}\n`);

async function main(): Promise<number> {
  const report = await measureAll();
  write(report);
  process.stdout.write(`\n${toMarkdown(report)}`);
  if (options.accept) writeFileSync(BASELINE, `${JSON.stringify(accepted(report.verdicts, BASELINE), null, 2)}\n`);
  const worse = options.check ? regressions(report.verdicts, BASELINE, options.only === undefined) : [];
  if (options.check && !existsSync(BASELINE)) say(`there is no ${BASELINE} to compare with: make one with --accept`);
  for (const line of worse) say(`worse than the baseline: ${line}`);
  if (options.check && worse.length === 0 && existsSync(BASELINE)) say(`no figure that ${BASELINE} knows is worse by more than ${TOLERANCE * 100} %`);
  const hasNothingToCompare = options.check && !existsSync(BASELINE);
  return Object.keys(report.failures).length > 0 || worse.length > 0 || hasNothingToCompare ? 1 : 0;
}

async function measureAll(): Promise<Report> {
  const lab = await Lab.open(options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', options.profile]);
  try {
    const report: Report = { surroundings: await lookAround(lab), verdicts: [], costs: [], notes: [], details: {}, failures: {} };
    const parts = Object.entries(PARTS).filter(([name]) => !wanted || wanted.includes(name));
    for (const [index, [name, measure]] of parts.entries()) {
      const startedMs = Date.now();
      say(`${index + 1} of ${parts.length}: ${name}`);
      try {
        const { verdicts, costs = [], notes = [], details } = await inTime(measure(lab));
        report.verdicts.push(...verdicts);
        report.costs.push(...costs);
        report.notes.push(...notes);
        report.details[name] = details;
      } catch (error) {
        report.failures[name] = error instanceof Error ? error.message : String(error);
        say(`${name} failed: ${report.failures[name]}`);
      }
      say(`${name} took ${((Date.now() - startedMs) / 1000).toFixed(0)} s`);
    }
    return report;
  } finally {
    await lab.close();
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  const tooLate = new Promise<never>((_resolve, reject) => void setTimeout(() => reject(new Error('gave up: it took too long')), PART_TIMEOUT_MS).unref());
  return Promise.race([work, tooLate]);
}

/** A selection, or single parts, must not replace the committed report. */
function write(report: Report): void {
  const folder = options.full && options.only === undefined ? RESULTS : join(RESULTS, 'tmp');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(folder, 'report.md'), toMarkdown(report));
  writeFileSync(join(folder, 'targets.svg'), toSvg(report.verdicts));
  say(`report in ${folder}`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exit(await main());
