/**
 * `npm run bench -- strategies [--rounds 5] [--requests 2000] [--connections 200] [--stock 500] [--seconds 290] [--only naive,redlock] [--docs]`:
 * every technique of the seed articles and this service on the same stock and the same crowd. Results go to bench/results/tmp/strategies,
 * with `--docs` also into docs/. Ends with 1 when a technique was not what it has to be.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RowDataPacket } from 'mysql2/promise';
import { onStopSignal } from '../../scripts/lib/stop-signals.mjs';
import { commandLine, namesIn, optionsOf, positive } from '../command-line.js';
import { Arena, CONTESTANTS } from './arena.js';
import { planClicks } from './crowd.js';
import { runRounds } from './lab.js';
import { drawPlot } from './plot.js';
import { toMarkdown, writeIntoDocument, type Circumstances } from './report.js';
import { summarise } from './summary.js';
import { faultsOf } from './verdict.js';

/** Clicks of each connection in the round that is not counted. */
const WARM_UP_TURNS = 1;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RESULTS = join(ROOT, 'bench/results/tmp/strategies');

const { rounds, requests, connections, stock, seconds, only, docs } = commandLine('strategies', () => {
  const given = optionsOf({
    rounds: { type: 'string', default: '5' }, requests: { type: 'string', default: '2000' }, connections: { type: 'string', default: '200' },
    stock: { type: 'string', default: '500' },
    // Nobody's turn is begun later; with the last one and the end of all servers the lab takes less than six minutes.
    seconds: { type: 'string', default: '290' },
    only: { type: 'string' }, docs: { type: 'boolean', default: false },
  });
  const number = (option: 'rounds' | 'requests' | 'connections' | 'stock' | 'seconds'): number => positive(option, given[option]);
  return {
    rounds: number('rounds'), requests: number('requests'), connections: number('connections'), stock: number('stock'), seconds: number('seconds'),
    only: namesIn('only', given.only, CONTESTANTS), docs: given.docs,
  };
});
const say = (line: string): void => void process.stderr.write(`[strategies] ${line}\n`);

async function versionsOf(arena: Arena): Promise<Pick<Circumstances, 'database' | 'redis'>> {
  const [[row]] = await arena.bench.pool.query<RowDataPacket[]>('SELECT VERSION() AS version');
  const redis = /redis_version:(\S+)/.exec(await arena.bench.redis.info('server'))?.[1] ?? 'unknown';
  const version = String(row?.version);
  return { database: version.includes('MariaDB') ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`, redis };
}

/** @returns what was wrong */
async function run(arena: Arena, dir: string): Promise<string[]> {
  const untilMs = Date.now() + seconds * 1000;
  const { clicks, shoppers } = planClicks(requests, connections);
  try {
    await arena.open({ dir, shoppers, only, say });
    const { contestants, tokens, storePids } = arena;
    const results = await runRounds(contestants, { stock, clicks, warmUpClicks: clicks.map((mine) => mine.slice(0, WARM_UP_TURNS)), tokens, rounds, untilMs, storePids }, say);
    if (results.length === 0) throw new Error(`no round was complete within ${seconds} s: this machine is too busy (--seconds gives it longer, --only less to do)`);
    const rows = summarise(contestants, results);
    const circumstances = { requests, connections, shoppers, stock, rounds: rows[0]?.rounds ?? 0, ...(await versionsOf(arena)), measuredAt: new Date() };
    const faults = faultsOf(contestants, results, rounds);
    const [markdown, svg] = [toMarkdown(rows, circumstances), await drawPlot(rows, circumstances)];
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(join(RESULTS, 'strategies.json'), `${JSON.stringify({ circumstances, faults, rows, rounds: results }, null, 2)}\n`);
    writeFileSync(join(RESULTS, 'strategies.md'), markdown);
    writeFileSync(join(RESULTS, 'strategies.svg'), svg);
    process.stdout.write(`${markdown}\n`);
    if (docs) {
      writeIntoDocument(join(ROOT, 'docs/strategies.md'), markdown);
      writeFileSync(join(ROOT, 'docs/strategies.svg'), svg);
    }
    return faults;
  } finally {
    await arena.close();
  }
}

const dir = mkdtempSync(join(tmpdir(), 'seckill-strategies-'));
const arena = new Arena();
let isStopping = false;

/** The servers have process groups of their own and would go on for ever. */
async function stop(): Promise<never> {
  isStopping = true;
  say('stopping');
  await arena.close();
  rmSync(dir, { recursive: true, force: true });
  process.exit(130);
}
onStopSignal(() => void stop());

try {
  const faults = await run(arena, dir);
  for (const fault of faults) say(`WRONG  ${fault}`);
  say(faults.length === 0 ? `every technique was what it has to be; see ${RESULTS}` : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} catch (error) {
  // What a signal has ended is missed by whoever used it: `stop` ends the process.
  if (!isStopping) throw error;
} finally {
  if (!isStopping) rmSync(dir, { recursive: true, force: true });
}
