import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import util from 'node:util';
import { SetupError } from './console.mjs';
import { projectRoot } from './project.mjs';

/**
 * The settings that the scripts themselves need; the service reads and validates the full set on its own.
 *
 * @typedef {object} Settings
 * @property {string} host
 * @property {number} port
 * @property {string} dataDir  absolute
 * @property {number} mysqlPort  0: any free one
 * @property {number} redisPort  0: any free one
 * @property {string | undefined} databaseUrl  a database that is there already
 * @property {string | undefined} redisUrl  a Redis that is there already
 * @property {boolean} ownMysql  whether a private MariaDB is wanted
 * @property {boolean} ownRedis  whether a private Redis is wanted
 * @property {boolean} demo
 */

/**
 * Reads `.env`, overridden by the environment. An empty value counts as not set.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [root]
 * @returns {Settings}
 */
export function readSettings(env = process.env, root = projectRoot) {
  const file = readEnvFile(join(root, '.env'));
  const value = (/** @type {string} */ name) => env[name] || file[name] || undefined;
  const port = (/** @type {string} */ name, /** @type {number} */ fallback, /** @type {number} */ lowest) =>
    parsePort(name, value(name) ?? String(fallback), lowest);
  return {
    host: value('HOST') ?? '127.0.0.1',
    port: port('PORT', 3000, 1),
    dataDir: resolve(root, value('DATA_DIR') ?? '.data'),
    mysqlPort: port('MYSQL_PORT', 33060, 0),
    redisPort: port('REDIS_PORT', 63790, 0),
    databaseUrl: value('DATABASE_URL'),
    redisUrl: value('REDIS_URL'),
    ownMysql: !value('DATABASE_URL'),
    ownRedis: !(value('REDIS_URL') ?? value('REDIS_CLUSTER_NODES') ?? value('REDIS_SENTINELS')),
    demo: ['1', 'true'].includes(value('DEMO') ?? ''),
  };
}

/** @param {string} path @returns {NodeJS.Dict<string>} */
function readEnvFile(path) {
  try {
    return util.parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return {};
    throw error;
  }
}

/** @param {string} name @param {string} text @param {number} lowest @returns {number} */
function parsePort(name, text, lowest) {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= lowest && port <= 65_535) return port;
  throw new SetupError(`${name} has to be a whole number from ${lowest} to 65535, not "${text}"`);
}
