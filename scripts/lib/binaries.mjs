import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
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
const BROWSER_PACKAGES = ['chromium'];
// A browser without one draws boxes for the pages' Chinese.
const CJK_FONT_PACKAGES = ['fonts-noto-cjk', 'fonts-wqy-zenhei'];
const FONTS = '/usr/share/fonts';

/**
 * @typedef {object} Wanted
 * @property {boolean} [mysql]
 * @property {boolean} [redis]
 * @property {boolean} [browser]  for the tests of the web pages, with a font for their Chinese
 */

/**
 * Makes sure that the programs of the private services, and of the tests, are there, with the system's package manager where that is allowed.
 *
 * @param {Wanted} wanted
 * @param {import('./console.mjs').Lines} lines
 */
export async function ensureBinaries(wanted, lines) {
  const missing = missingPackages(wanted);
  if (missing.length === 0) return;
  const names = missing.map(([first]) => first).join(' ');
  if (canInstall()) {
    lines.say(`Installing ${names}`);
    if ((await aptInstall(missing, lines)) && missingPackages(wanted).length === 0) return;
    throw new SetupError(`${names} could not be installed: install it by hand${otherwise(wanted)}`);
  }
  throw new SetupError(`Missing: ${names} (sudo apt-get install ${names})${otherwise(wanted)}`);
}

/** Containers have the servers, but run no tests. @param {Wanted} wanted @returns {string} */
function otherwise(wanted) {
  return wanted.browser ? '' : ', or run everything in containers: docker compose up -d';
}

/** @param {Wanted} wanted @returns {string[][]} */
function missingPackages(wanted) {
  return [
    ...(wanted.mysql && !findMysql() ? [MARIADB_PACKAGES] : []),
    ...(wanted.redis && !findRedis() ? [REDIS_PACKAGES] : []),
    ...(wanted.browser && !findBrowser() ? [BROWSER_PACKAGES] : []),
    ...(wanted.browser && !hasCjkFont() ? [CJK_FONT_PACKAGES] : []),
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

/** @returns {string | undefined} */
export function findBrowser() {
  return findOnPath('chromium', 'chromium-browser', 'google-chrome');
}

/** By the names that such fonts bear; the program that knows better comes with another package. @returns {boolean} */
function hasCjkFont() {
  return existsSync(FONTS) && readdirSync(FONTS, { recursive: true }).some((name) => /cjk|wqy/i.test(String(name)));
}

/** `mysqld` is MariaDB's old name as well. @param {string} server @returns {boolean} */
function isMariadb(server) {
  if (server.endsWith('mariadbd')) return true;
  return /mariadb/i.test(spawnSync(server, ['--no-defaults', '--version'], { encoding: 'utf8' }).stdout ?? '');
}
