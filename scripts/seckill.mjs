/** `npm run seckill -- <command>`: the operator's command line, on the services that are there or on private ones for its duration. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBinaries } from './lib/binaries.mjs';
import { ensureBuild } from './lib/build.mjs';
import { linesTo, runMain, SetupError } from './lib/console.mjs';
import { DataFolder, findRunningServices } from './lib/data-folder.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { CLI_PROGRAM, requireNode } from './lib/project.mjs';
import { checkCommand, nodeCommand, outliveCommands, run, runStep } from './lib/run.mjs';
import { startServices } from './lib/services.mjs';
import { readSettings } from './lib/settings.mjs';
import { onEachStopSignal } from './lib/stop-signals.mjs';

/** @typedef {import('./lib/data-folder.mjs').Places} Places */

const WAIT_MS = 120_000;
/** The exit code of a command that a Ctrl-C ended. */
const STOPPED = 130;

// stdout belongs to the command: it may be piped into a file.
const lines = linesTo(process.stderr);
let isStopping = false;
onEachStopSignal(() => {
  isStopping = true;
});

await runMain(async () => {
  requireNode();
  outliveCommands();
  const args = process.argv.slice(2);
  const settings = readSettings();
  await ensurePackages(lines);
  await ensureBuild(lines);
  if (needsNoServices(args)) return runCommand(args, {});
  if (!settings.ownMysql && !settings.ownRedis) return runCommand(args, {});
  const refused = await checkCommand(args);
  if (refused !== 0) return refused;
  for (;;) {
    const running = await findRunningServices(settings.dataDir, WAIT_MS, lines.say);
    if (running) return runCommand(args, running);
    if (needsService(args)) throw new SetupError(`nothing runs on ${settings.dataDir}: start the service with npm start, or say with DATA_DIR where it keeps its data`);
    if (needsSales(args) && settings.ownMysql && !existsSync(join(settings.dataDir, 'mysql'))) {
      throw new SetupError(`nothing runs on ${settings.dataDir}, and no sale is kept there: say with DATA_DIR where the service keeps its data`);
    }
    const folder = await DataFolder.tryOpen(settings.dataDir, lines.say);
    if (folder) return runOnTemporaryServices(args, settings, folder);
  }
});

/** @param {string[]} args @param {import('./lib/settings.mjs').Settings} settings @param {DataFolder} folder */
async function runOnTemporaryServices(args, settings, folder) {
  await ensureBinaries({ mysql: settings.ownMysql, redis: settings.ownRedis }, lines);
  // Not announced: nobody else should come to rely on services that end with this command.
  const services = await startServices({ ...settings, folder, announce: false, log: lines.say });
  try {
    if (isStopping) return STOPPED;
    if (args[0] !== 'migrate') await runStep(lines, nodeCommand, [CLI_PROGRAM, 'migrate'], { env: environment(services) });
    const code = await runCommand(args, services);
    if (args[0] === 'demo') lines.say('The servers end with this command: npm start keeps them, and the service, running');
    return code;
  } finally {
    await services.stop();
  }
}

/** A database made for the command would have none. @param {string[]} args */
function needsSales([command = '']) {
  return command.startsWith('sale:');
}

/** These have shoppers at work, who need the service itself. @param {string[]} args */
function needsService([command = '']) {
  return ['rehearse', 'demo:crowd'].includes(command);
}

/** @param {string[]} args */
function needsNoServices(args) {
  return args.length === 0 || args[0] === 'help' || args.some((arg) => ['-h', '--help', '-V', '--version'].includes(arg));
}

/** @param {string[]} args @param {Places} places */
function runCommand(args, places) {
  return run(nodeCommand, [CLI_PROGRAM, ...args], { env: environment(places) });
}

/** What runs knows better than the settings here, which may be others. @param {Places} places @returns {NodeJS.ProcessEnv} */
function environment({ databaseUrl, redisUrl, host, port }) {
  return {
    ...process.env,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    ...(redisUrl && { REDIS_URL: redisUrl }),
    ...(host && { HOST: host }),
    ...(port && { PORT: String(port) }),
  };
}
