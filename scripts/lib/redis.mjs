import { join } from 'node:path';
import { SetupError } from './console.mjs';
import { findRedis } from './binaries.mjs';
import { converse } from './probe.mjs';
import { Server } from './server.mjs';

/**
 * @typedef {object} Place  where a private server lives
 * @property {string} dataDir  its log is written here, its data in a folder below
 * @property {string} socketDir
 * @property {number} port
 * @property {import('./service-user.mjs').ServiceUser} [user]
 * @property {string[]} [extraArgs]
 * @property {(pid: number) => void} [onSpawn]
 * @property {import('./server.mjs').ServerSpec['onUnexpectedExit']} [onUnexpectedExit]
 */

/**
 * A Redis that keeps what it was told (append-only file, written out every second) and never throws keys away to make room.
 *
 * @param {Place} place
 * @returns {Server}
 */
export function createRedis({ dataDir, socketDir, port, user, extraArgs = [], ...hooks }) {
  const command = findRedis();
  if (!command) throw new SetupError('redis-server is missing: sudo apt-get install redis-server');
  const socket = join(socketDir, 'redis.sock');
  const settings = {
    port,
    bind: '127.0.0.1',
    unixsocket: socket,
    dir: join(dataDir, 'redis'),
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return new Server({
    name: 'redis',
    title: 'Redis',
    port,
    command,
    args: [...args, ...extraArgs],
    logFile: join(dataDir, 'redis.log'),
    user,
    // While it reads its file in, it answers -LOADING.
    isReady: () => converse(socket, 'PING\r\n', (answer) => answer.toString().startsWith('+PONG')),
    ...hooks,
  });
}
