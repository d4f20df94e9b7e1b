/** `npm start`: everything on this machine, until Ctrl-C. */
import { localAddress, startApp, waitUntilReady } from './lib/app.mjs';
import { ensureBinaries } from './lib/binaries.mjs';
import { ensureBuild } from './lib/build.mjs';
import { fail, linesTo, runMain, SetupError } from './lib/console.mjs';
import { DataFolder } from './lib/data-folder.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { requireFreePort } from './lib/ports.mjs';
import { CLI_PROGRAM, requireNode } from './lib/project.mjs';
import { checkCommand, nodeCommand, runStep, signalRunning } from './lib/run.mjs';
import { startServices } from './lib/services.mjs';
import { readSettings } from './lib/settings.mjs';
import { onStopSignal } from './lib/stop-signals.mjs';

const RESTARTS_ALLOWED = 5;

const lines = linesTo(process.stdout);
/** @type {ReturnType<typeof startApp> | undefined} */
let app;
/** @type {DataFolder | undefined} */
let folder;
let isStopping = false;

onStopSignal(async (signal, isUrgent) => {
  if (isStopping) return;
  lines.say('Stopping (once more for faster)');
  await stopEverything(isUrgent, signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
  lines.say('Stopped');
  process.exit(0);
});

await runMain(async () => {
  try {
    await start();
  } catch (error) {
    // What fails because it is being stopped is no failure.
    await unlessStopping();
    await stopEverything(() => false);
    throw error;
  }
  await forever();
});

async function start() {
  requireNode();
  const settings = readSettings();
  // First what needs a person, then what takes minutes.
  if (settings.ownMysql || settings.ownRedis) folder = await DataFolder.open(settings.dataDir, lines.say);
  await requireFreePort(settings.port, 'PORT', settings.host);
  await ensurePackages(lines);
  await ensureBinaries({ mysql: settings.ownMysql, redis: settings.ownRedis }, lines);
  await ensureBuild(lines);
  await unlessStopping();
  if ((await checkCommand(['migrate'])) !== 0) throw new SetupError('Not started: see above');
  const services = folder && (await startPrivateServices(settings, folder));
  await unlessStopping();
  const env = { ...process.env, HOST: settings.host, PORT: String(settings.port), ...urlsOf(services) };
  lines.say('Migrating the database');
  await runStep(lines, nodeCommand, [CLI_PROGRAM, 'migrate'], { env });
  await unlessStopping();
  services?.announce({ host: settings.host, port: settings.port });
  await startService(settings, env);
}

/** @param {import('./lib/settings.mjs').Settings} settings @param {DataFolder} openFolder */
async function startPrivateServices(settings, openFolder) {
  lines.say(`Starting private services, data in ${settings.dataDir}`);
  let restarts = 0;
  const services = await startServices({
    ...settings,
    folder: openFolder,
    announce: false,
    log: lines.say,
    onUnexpectedExit: (name, how) => {
      if (isStopping) return;
      restarts += 1;
      if (restarts > RESTARTS_ALLOWED) return void giveUp(`${name} keeps dying, see ${settings.dataDir}/${name}.log`);
      lines.say(`${name} has died (${how}): starting it again`);
      const server = name === 'mysql' ? services.mysql : services.redis;
      server?.start().catch((/** @type {Error} */ error) => giveUp(error.message));
    },
  });
  return services;
}

/** @param {{ databaseUrl?: string, redisUrl?: string } | undefined} services */
function urlsOf(services) {
  return {
    ...(services?.databaseUrl && { DATABASE_URL: services.databaseUrl }),
    ...(services?.redisUrl && { REDIS_URL: services.redisUrl }),
  };
}

/** @param {import('./lib/settings.mjs').Settings} settings @param {NodeJS.ProcessEnv} env */
async function startService(settings, env) {
  const address = localAddress(settings.host, settings.port);
  lines.say(`Starting the service on ${address}`);
  const started = startApp({ env, onExit: (how) => giveUp(`The service ended by itself ${how}`) });
  app = started;
  folder?.record('app', started.pid);
  await waitUntilReady(address, started.isRunning);
  if (settings.demo) await runStep(lines, nodeCommand, [CLI_PROGRAM, 'demo'], { env });
  lines.say(`Ready: ${address} (Ctrl-C stops everything)`);
}

/** @param {string} reason */
async function giveUp(reason) {
  if (isStopping) return;
  await stopEverything(() => false);
  fail(reason);
}

/** @param {() => boolean} isUrgent @param {'SIGINT' | 'SIGTERM'} [signal]  what the service is told, and logs */
async function stopEverything(isUrgent, signal = 'SIGTERM') {
  isStopping = true;
  signalRunning('SIGTERM');
  await app?.stop(isUrgent, signal);
  await folder?.close({ isUrgent });
}

/** Goes on only where nothing is being stopped: then, whoever stops it ends the process. */
async function unlessStopping() {
  if (isStopping) await forever();
}

/** The timer keeps the process alive; only a signal or the service's end leads out. @returns {Promise<never>} */
function forever() {
  return new Promise(() => setInterval(() => {}, 2 ** 30));
}
