/** `npm run bench [-- --full | --check | --only join,poll | strategies | streams | pages]`: measures the service on private services of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from './lib/binaries.mjs';
import { ensureBuild } from './lib/build.mjs';
import { linesTo, runMain, SetupError } from './lib/console.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { CLI_PROGRAM, requireNode } from './lib/project.mjs';
import { nodeCommand, outliveCommands, run, runStep } from './lib/run.mjs';
import { startServices } from './lib/services.mjs';

const TSC = 'node_modules/typescript/bin/tsc';
const PROGRAM = 'bench/dist/bench/main.js';
/** Kits of their own, each behind a word, with servers of their own; they run from their sources. */
const SUB_COMMANDS = ['strategies', 'streams', 'pages'];

const USAGE = `npm run bench                      a selection, for a few minutes
npm run bench -- --full            everything; writes the committed results
npm run bench -- --only join,poll  single parts
npm run bench -- --check           compares with bench/baseline.json
npm run bench -- --accept          makes what was measured the baseline
npm run bench -- strategies [--only naive,redlock] [--rounds 5]
npm run bench -- streams [--streams 5000]
npm run bench -- pages [--rounds 7]
docs/benchmark.md says more.
`;

const lines = linesTo(process.stderr);

await runMain(async () => {
  if (process.argv.includes('--help')) return void process.stdout.write(USAGE);
  requireNode();
  outliveCommands();
  if (process.platform !== 'linux') throw new SetupError('the benchmark reads CPU times from /proc, so it needs Linux');
  await ensurePackages(lines);
  const [word = '', ...rest] = process.argv.slice(2);
  const kit = SUB_COMMANDS.find((name) => name === word);
  const words = kit ? rest : process.argv.slice(2);
  const fromSources = ['--import', 'tsx', kit ? `bench/${kit}/main.ts` : 'bench/main.ts', ...words];
  const env = { ...process.env, NODE_OPTIONS: '' };
  // It says itself what is wrong, before anything is built or started.
  const mistake = await run(nodeCommand, fromSources, { env: { ...env, SECKILL_CHECK_ONLY: '1' } });
  if (mistake !== 0) return mistake;
  await ensureBinaries({ mysql: true, redis: true, browser: kit === 'pages' }, lines);
  await ensureBuild(lines);
  if (kit) return run(nodeCommand, fromSources, { env });
  lines.say('Building the benchmark');
  await runStep(lines, nodeCommand, [TSC, '-p', 'bench/tsconfig.json']);
  const dataDir = await mkdtemp(join(tmpdir(), 'seckill-bench-'));
  const services = await startServices({ dataDir, announce: false, log: lines.say });
  try {
    const places = { ...env, BENCH_DIR: dataDir, BENCH_PIDS: `${services.redisPid},${services.mysqlPid}`, DATABASE_URL: services.databaseUrl, REDIS_URL: services.redisUrl };
    await runStep(lines, nodeCommand, [CLI_PROGRAM, 'migrate'], { env: places });
    return await run(nodeCommand, [PROGRAM, ...words], { env: places });
  } finally {
    await services.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
