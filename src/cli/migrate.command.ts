import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { readEnvironment, readSettings } from '../config/index.js';
import { databaseOptions, isDatabaseUnavailable } from '../infra/database/index.js';
import { print } from './context.js';

const ATTEMPTS = 30;

/** Runs the migrations that the database has not seen yet. Waits for a database that is still starting. */
export async function migrate(): Promise<void> {
  const dataSource = new DataSource(databaseOptions(readSettings(readEnvironment()).DATABASE_URL));
  await connect(dataSource);
  try {
    const done = await dataSource.runMigrations({ transaction: 'each' });
    print(done.length === 0 ? 'the tables are up to date' : `migrated: ${done.map((migration) => migration.name).join(', ')}`);
  } finally {
    await dataSource.destroy();
  }
}

async function connect(dataSource: DataSource): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await dataSource.initialize();
      return;
    } catch (error) {
      if (attempt >= ATTEMPTS || !isDatabaseUnavailable(error)) throw error;
      await delay(1000);
    }
  }
}
