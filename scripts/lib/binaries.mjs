import { spawnSync } from 'node:child_process';
import { aptInstall, canInstall } from './apt.mjs';
import { SetupError } from './console.mjs';
import { findOnPath } from './path.mjs';

/**
 * @typedef {object} MysqlPrograms
 * @property {string} server
 * @property {string | undefined} installer  `mariadb-install-db`; MySQL's server makes its data folder by itself
 */

// Debian 12 and Ubuntu 24.04 have the server's programs apart from the service; older ones only under a name with the version in it.
const MARIADB_PACKAGES = ['mariadb-server-core', 'mariadb-server'];
const REDIS_PACKAGES = ['redis-server', 'valkey-server'];

/**
 * Makes sure that the programs of the private services are there, with the system's package manager where that is allowed.
 *
 * @param {{ mysql: boolean, redis: boolean }} wanted
 * @param {import('./console.mjs').Lines} lines
 */
export async function ensureBinaries(wanted, lines) {
  const missing = missingPackages(wanted);
  if (missing.length === 0) return;
  const names = missing.map(([first]) => first).join(' ');
  if (canInstall()) {
    lines.say(`Installing ${names}`);
    if ((await aptInstall(missing, lines)) && missingPackages(wanted).length === 0) return;
    throw new SetupError(`${names} could not be installed: install it by hand, or run everything in containers: docker compose up -d`);
  }
  throw new SetupError(`Missing: ${names} (sudo apt-get install ${names}); or run everything in containers: docker compose up -d`);
}

/** @param {{ mysql: boolean, redis: boolean }} wanted @returns {string[][]} */
function missingPackages(wanted) {
  return [
    ...(wanted.mysql && !findMysql() ? [MARIADB_PACKAGES] : []),
    ...(wanted.redis && !findRedis() ? [REDIS_PACKAGES] : []),
  ];
}

/** @returns {MysqlPrograms | undefined} */
export function findMysql() {
  const server = findOnPath('mariadbd', 'mysqld');
  if (!server) return undefined;
  if (!isMariadb(server)) return { server, installer: undefined };
  const installer = findOnPath('mariadb-install-db', 'mysql_install_db');
  return installer ? { server, installer } : undefined;
}

/** @returns {string | undefined} */
export function findRedis() {
  return findOnPath('redis-server', 'valkey-server');
}

/** `mysqld` is MariaDB's old name as well. @param {string} server @returns {boolean} */
function isMariadb(server) {
  if (server.endsWith('mariadbd')) return true;
  return /mariadb/i.test(spawnSync(server, ['--no-defaults', '--version'], { encoding: 'utf8' }).stdout ?? '');
}
