import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { databaseOptions } from '../../src/infra/database/index.js';

export interface Services {
  databaseUrl: string;
  redisUrl: string;
}

/** The servers of this jest worker, with an empty Redis and a new, migrated database. */
export async function freshServices(): Promise<Services> {
  const redisUrl = await freshRedis();
  return { databaseUrl: await createDatabase(workerServices().databaseUrl), redisUrl };
}

/** The Redis of this jest worker, emptied, for tests that need no database. */
export async function freshRedis(): Promise<string> {
  const { redisUrl } = workerServices();
  const redis = new Redis(redisUrl);
  await redis.flushall();
  redis.disconnect();
  return redisUrl;
}

function workerServices(): Services {
  const all: unknown = JSON.parse(process.env.TEST_SERVICES ?? '[]');
  const index = Number(process.env.JEST_WORKER_ID ?? 1) - 1;
  if (!Array.isArray(all) || all.length === 0) throw new Error('the test services do not run: start the tests with npm test');
  return all[index % all.length] as Services;
}

/** A new, migrated database on a server; answers its address. */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `seckill_${randomBytes(4).toString('hex')}`;
  const connection = await createConnection(serverUrl);
  await connection.query(`CREATE DATABASE ${name}`);
  await connection.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const dataSource = await new DataSource(databaseOptions(url.href)).initialize();
  await dataSource.runMigrations();
  await dataSource.destroy();
  return url.href;
}
