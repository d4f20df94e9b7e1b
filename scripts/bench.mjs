/** `npm run bench [-- --full | --check | --only join,status | strategies]`: measures the service on private services of its own. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from './lib/binaries.mjs';
import { ensureBuild } from './lib/build.mjs';
import { linesTo, runMain, SetupError } from './lib/console.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { CLI_PROGRAM, projectRoot, requireNode } from './lib/project.mjs';
import { nodeCommand, outliveCommands, run, runStep } from './lib/run.mjs';
import { startServices } from './lib/services.mjs';

const TSC = 'node_modules/typescript/bin/tsc';
const COMPILED = 'bench/dist/bench';
/** A kit of its own behind a word, e.g. `npm run bench -- strategies`; it gets the same services. */
const SUB_COMMANDS = ['strategies', 'streams'];

const lines = linesTo(process.stderr);

await runMain(async () => {
  requireNode();
  outliveCommands();
  if (process.platform !== 'linux') throw new SetupError('the benchmark reads CPU times from /proc, so it needs Linux');
  await ensurePackages(lines);
  await ensureBinaries({ mysql: true, redis: true }, lines);
  await ensureBuild(lines);
  lines.say('Building the benchmark');
  await runStep(lines, nodeCommand, [TSC, '-p', 'bench/tsconfig.json']);
  const [program, args] = programOf(process.argv.slice(2));
  const dataDir = await mkdtemp(join(tmpdir(), 'seckill-bench-'));
  const services = await startServices({ dataDir, announce: false, log: lines.say });
  try {
    const env = { ...process.env, NODE_OPTIONS: '', BENCH_DIR: dataDir, BENCH_PIDS: `${services.redisPid},${services.mysqlPid}`, DATABASE_URL: services.databaseUrl, REDIS_URL: services.redisUrl };
    await runStep(lines, nodeCommand, [CLI_PROGRAM, 'migrate'], { env });
    return await run(nodeCommand, [program, ...args], { env });
  } finally {
    await services.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** @param {string[]} args @returns {[string, string[]]} */
function programOf(args) {
  const [name = '', ...rest] = args;
  if (!SUB_COMMANDS.includes(name)) return [`${COMPILED}/main.js`, args];
  const program = `${COMPILED}/${name}/main.js`;
  if (!existsSync(join(projectRoot, program))) throw new SetupError(`there is no bench/${name}/main.ts`);
  return [program, rest];
}
