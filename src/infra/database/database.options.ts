import type { DataSourceOptions } from 'typeorm';
import { migrations } from '../../../migrations/index.js';

/**
 * How every process reaches the database: UTC throughout, BIGINT as strings, found (not changed) rows counted,
 * and no schema change outside migrations.
 */
export function databaseOptions(url: string): DataSourceOptions {
  return {
    type: 'mysql',
    url: url.replace(/^mariadb:/, 'mysql:'),
    timezone: 'Z',
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: true,
    synchronize: false,
    migrationsRun: false,
    migrations,
    poolSize: 16,
    connectTimeout: 3000,
    extra: { enableKeepAlive: true, keepAliveInitialDelay: 10_000 },
  };
}
