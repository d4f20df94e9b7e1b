import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { readEnvironment, readSettings, type ProcessRole, type Settings } from '../config/index.js';

/** Reads the settings, builds the application without its HTTP server and its jobs, runs `work` on it and closes it. */
export async function withApplication<T>(work: (app: INestApplicationContext, settings: Settings) => Promise<T>, roles: ProcessRole[] = []): Promise<T> {
  const settings = readSettings(readEnvironment());
  const app = await NestFactory.createApplicationContext(AppModule.for(settings, roles), { logger: false, abortOnError: false });
  try {
    return await work(app, settings);
  } finally {
    await app.close();
  }
}

/** Writes a result to stdout, where it may be piped on. */
export function print(result: unknown): void {
  process.stdout.write(`${typeof result === 'string' ? result : JSON.stringify(result, null, 2)}\n`);
}
