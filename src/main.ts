import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { readEnvironment, readSettings, SettingsError } from './config/index.js';
import { closeHttpApp, createHttpApp } from './infra/http/index.js';
import { Logger } from '@nestjs/common';

const logger = new Logger('Main');
/** How long requests that are on their way may still come in. */
const GRACE_MS = 1000;
/** Supervisors kill what has not ended after some time, many after thirty seconds. */
const STOP_MS = 25_000;

/** Starts the roles that the settings ask for and stops them cleanly on SIGINT or SIGTERM. */
async function main(): Promise<void> {
  const settings = readSettings(readEnvironment());
  const running: { app?: NestFastifyApplication } = {};
  // What is half started has promised nobody anything, and may simply end.
  stopOnSignal(async () => running.app && closeHttpApp(running.app, GRACE_MS));
  const app = await createHttpApp(AppModule.for(settings), settings);
  running.app = app;
  await app.listen(settings.PORT, settings.HOST);
  logger.log({ roles: settings.roles, address: await app.getUrl(), msg: 'ready' });
}

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    logger.log({ signal, msg: 'stopping' });
    setTimeout(() => {
      logger.error({ afterMs: STOP_MS, msg: 'not stopped in time; what was under way is found again by the next process' });
      process.exit(1);
    }, STOP_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

main().catch((error: unknown) => {
  if (error instanceof SettingsError) for (const fault of error.faults) process.stderr.write(`setting: ${fault}\n`);
  else process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
