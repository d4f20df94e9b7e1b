import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './console.mjs';
import { findMysql } from './binaries.mjs';
import { converse } from './probe.mjs';
import { run } from './run.mjs';
import { Server } from './server.mjs';
import { handOver } from './service-user.mjs';

const PROTOCOL_VERSION = 10;
const COLLATION = 'utf8mb4_unicode_ci';

/** The account of the private database; it listens on this machine only. */
export const ACCOUNT = { user: 'seckill', password: 'seckill', database: 'seckill' };

// Run by the server itself at each start, before it lets anybody in: no client program is needed.
const INIT_SQL = `CREATE DATABASE IF NOT EXISTS ${ACCOUNT.database} CHARACTER SET utf8mb4 COLLATE ${COLLATION};
CREATE USER IF NOT EXISTS '${ACCOUNT.user}'@'127.0.0.1' IDENTIFIED BY '${ACCOUNT.password}';
GRANT ALL PRIVILEGES ON \`${ACCOUNT.database}%\`.* TO '${ACCOUNT.user}'@'127.0.0.1';
`;

/**
 * A MariaDB (or MySQL) that has every commit on disk before it says so.
 *
 * @param {import('./redis.mjs').Place} place
 * @returns {Server}
 */
export function createMysql({ dataDir, socketDir, port, user, extraArgs = [], ...hooks }) {
  const { server, installer } = requireMysql();
  const socket = join(socketDir, 'mysql.sock');
  const initFile = join(socketDir, 'init.sql');
  writeFileSync(initFile, INIT_SQL);
  const settings = {
    datadir: join(dataDir, 'mysql'),
    socket,
    'pid-file': join(socketDir, 'mysql.pid'),
    port,
    'bind-address': '127.0.0.1',
    'init-file': initFile,
    'character-set-server': 'utf8mb4',
    'collation-server': COLLATION,
    'default-time-zone': '+00:00',
    'innodb-flush-log-at-trx-commit': 1,
    'innodb-buffer-pool-size': '256M',
    'max-connections': 300,
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  // MySQL's second protocol would take port 33060 for itself, MariaDB doesn't have it.
  const special = installer ? [] : ['--mysqlx=OFF'];
  return new Server({
    name: 'mysql',
    title: installer ? 'MariaDB' : 'MySQL',
    port,
    command: server,
    args: ['--no-defaults', ...args, '--skip-name-resolve', '--skip-log-bin', ...special, ...asRoot(user), ...extraArgs],
    logFile: join(dataDir, 'mysql.log'),
    user,
    // The server speaks first.
    isReady: () => converse(socket, '', (greeting) => greeting[4] === PROTOCOL_VERSION),
    ...hooks,
  });
}

/**
 * Makes the database's own folder, once. Only a finished one gets the final name.
 *
 * @param {{ dataDir: string, logFd: number, say: (line: string) => void }} options
 */
export async function installMysql({ dataDir, logFd, say }) {
  const target = join(dataDir, 'mysql');
  if (existsSync(target)) return;
  const draft = join(dataDir, 'mysql.new');
  // Installs side by side would take each other's temporary files in a folder that they share.
  const scratch = join(dataDir, 'mysql.tmp');
  for (const dir of [draft, scratch]) {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir);
  }
  const user = handOver([draft, scratch]);
  const [command, args] = installCommand(draft, user);
  say('Creating the database folder');
  const code = await run(command, [...args, `--tmpdir=${scratch}`], { detached: true, cwd: '/', stdio: ['ignore', logFd, logFd], ...user });
  if (code !== 0) throw new SetupError(`the database folder could not be created, see ${join(dataDir, 'mysql.log')}`);
  rmSync(scratch, { recursive: true, force: true });
  renameSync(draft, target);
}

/** @param {string} dir @param {import('./service-user.mjs').ServiceUser | undefined} user @returns {[string, string[]]} */
function installCommand(dir, user) {
  const { server, installer } = requireMysql();
  if (!installer) return [server, ['--no-defaults', '--initialize-insecure', `--datadir=${dir}`, ...asRoot(user)]];
  // The database's root comes in through the socket file only, as the same user of this machine: there is no password to guess.
  const args = ['--no-defaults', `--datadir=${dir}`, '--auth-root-authentication-method=socket', '--skip-test-db', '--skip-name-resolve'];
  return [installer, [...args, ...asRoot(user)]];
}

/** As root the server wants to be told so. @param {import('./service-user.mjs').ServiceUser | undefined} user @returns {string[]} */
function asRoot(user) {
  return !user && process.getuid?.() === 0 ? ['--user=root'] : [];
}

function requireMysql() {
  const programs = findMysql();
  if (!programs) throw new SetupError('mariadbd is missing: sudo apt-get install mariadb-server-core');
  return programs;
}
