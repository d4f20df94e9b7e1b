import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from './data-folder.mjs';
import { ACCOUNT, createMysql, installMysql } from './mysql.mjs';
import { findFreePort, portInUse, requireFreePort } from './ports.mjs';
import { createRedis } from './redis.mjs';
import { PortTakenError } from './server.mjs';
import { handOver } from './service-user.mjs';

const PORT_ATTEMPTS = 5;

/**
 * @typedef {import('./server.mjs').Server} Server
 * @typedef {(line: string) => void} Say
 *
 * @typedef {object} StartOptions
 * @property {string} dataDir
 * @property {number} [mysqlPort]  0 (default): any free one
 * @property {number} [redisPort]  0 (default): any free one
 * @property {boolean} [ownMysql]  false: no database is started
 * @property {boolean} [ownRedis]  false: no Redis is started
 * @property {DataFolder} [folder]  `dataDir`, where the caller has opened it already
 * @property {boolean} [announce]  true (default): other commands of this machine may use the services
 * @property {import('./server.mjs').ServerSpec['onUnexpectedExit']} [onUnexpectedExit]
 * @property {Say} [log]
 */

/**
 * Starts a private MariaDB and a private Redis, and waits until both serve.
 *
 * @param {StartOptions} options
 */
export async function startServices(options) {
  const say = options.log ?? (() => {});
  const folder = options.folder ?? (await DataFolder.open(options.dataDir, say));
  try {
    if (options.ownMysql !== false && options.mysqlPort) await requireFreePort(options.mysqlPort, 'MYSQL_PORT');
    if (options.ownRedis !== false && options.redisPort) await requireFreePort(options.redisPort, 'REDIS_PORT');
    handOver([folder.socketDir]);
    const [mysql, redis] = await settleAll([
      options.ownMysql === false ? undefined : startMysql(folder, options, say),
      options.ownRedis === false ? undefined : startRedis(folder, options, say),
    ]);
    const services = describe(folder, mysql, redis);
    if (options.announce !== false) services.announce();
    return services;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** @param {DataFolder} folder @param {Server | undefined} mysql @param {Server | undefined} redis */
function describe(folder, mysql, redis) {
  const { user, password, database } = ACCOUNT;
  const databaseUrl = mysql && `mysql://${user}:${password}@127.0.0.1:${mysql.port}/${database}`;
  const redisUrl = redis && `redis://127.0.0.1:${redis.port}`;
  return {
    mysql,
    redis,
    databaseUrl,
    redisUrl,
    get mysqlPid() {
      return mysql?.pid;
    },
    get redisPid() {
      return redis?.pid;
    },
    announce: (/** @type {{ host: string, port: number } | undefined} */ service) => folder.announce({ databaseUrl, redisUrl, ...service }),
    stop: async () => {
      await Promise.all([mysql?.stop(), redis?.stop()]);
      await folder.close();
    },
  };
}

/** @param {DataFolder} folder @param {StartOptions} options @param {Say} say */
async function startMysql(folder, options, say) {
  const log = openSync(join(folder.dir, 'mysql.log'), 'a');
  await installMysql({ dataDir: folder.dir, logFd: log, say }).finally(() => closeSync(log));
  const user = handOver([join(folder.dir, 'mysql')]);
  return startOnPort('MYSQL_PORT', options.mysqlPort, say, (port) => createMysql({ ...placeIn(folder, options, 'mysql'), port, user }));
}

/** @param {DataFolder} folder @param {StartOptions} options @param {Say} say */
async function startRedis(folder, options, say) {
  const data = join(folder.dir, 'redis');
  mkdirSync(data, { recursive: true });
  const user = handOver([data]);
  return startOnPort('REDIS_PORT', options.redisPort, say, (port) => createRedis({ ...placeIn(folder, options, 'redis'), port, user }));
}

/**
 * One more Redis, for tests that need several (locks on independent nodes, a cluster); it has no part in any data folder.
 *
 * @param {{ dataDir: string, port?: number, extraArgs?: string[] }} options
 */
export async function startRedisNode({ dataDir, port, extraArgs }) {
  mkdirSync(join(dataDir, 'redis'), { recursive: true });
  const socketDir = mkdtempSync(join(tmpdir(), 'seckill-'));
  const removeSocketDir = () => rmSync(socketDir, { recursive: true, force: true });
  const server = await startOnPort('port', port, () => {}, (free) => createRedis({ dataDir, socketDir, port: free, extraArgs })).catch((error) => {
    removeSocketDir();
    throw error;
  });
  const abandon = () => void server.kill('SIGTERM');
  process.on('exit', abandon);
  return Object.assign(server, {
    url: `redis://127.0.0.1:${server.port}`,
    close: async () => {
      process.off('exit', abandon);
      await server.stop();
      removeSocketDir();
    },
  });
}

/** @param {DataFolder} folder @param {StartOptions} options @param {string} name */
function placeIn(folder, options, name) {
  return {
    dataDir: folder.dir,
    socketDir: folder.socketDir,
    onSpawn: (/** @type {number} */ pid) => folder.record(name, pid),
    onUnexpectedExit: (/** @type {string} */ which, /** @type {string} */ how) => {
      if (!folder.isClosed) options.onUnexpectedExit?.(which, how);
    },
  };
}

/**
 * A free port may be taken by somebody else before the server gets there, e.g. by another test run.
 *
 * @param {string} setting
 * @param {number | undefined} wanted
 * @param {Say} say
 * @param {(port: number) => Server} create
 * @returns {Promise<Server>}
 */
async function startOnPort(setting, wanted, say, create) {
  for (let attempt = 1; ; attempt += 1) {
    const server = create(wanted || (await findFreePort()));
    try {
      await server.start();
      say(`${server.spec.title} runs on 127.0.0.1:${server.port}`);
      return server;
    } catch (error) {
      if (!(error instanceof PortTakenError)) throw error;
      if (wanted) throw portInUse(wanted, setting);
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

/**
 * Waits for all, also when one fails: what is only half started could not be stopped.
 *
 * @template T
 * @param {(Promise<T> | undefined)[]} promises
 * @returns {Promise<(T | undefined)[]>}
 */
async function settleAll(promises) {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
