import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @typedef {{ uid: number, gid: number }} ServiceUser */

/**
 * Database servers refuse to run as root, with good reason. Gives `dir` and all in it to an unprivileged user, where we are root and
 * that user can get there (a home folder of root's is closed to everybody else).
 *
 * @param {string[]} dirs
 * @returns {ServiceUser | undefined} undefined: run the servers as who we are
 */
export function handOver(dirs) {
  if (process.getuid?.() !== 0) return undefined;
  const user = findUser('mysql') ?? findUser('nobody');
  if (!user) return undefined;
  spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, ...dirs]);
  if (dirs.every((dir) => canWrite(user, dir))) return user;
  spawnSync('chown', ['-R', '0:0', ...dirs]);
  return undefined;
}

/** @param {string} name @returns {ServiceUser | undefined} */
function findUser(name) {
  const line = readFileSync('/etc/passwd', 'utf8').split('\n').find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

/** @param {ServiceUser} user @param {string} dir @returns {boolean} */
function canWrite(user, dir) {
  return spawnSync('test', ['-w', dir], { ...user, cwd: '/' }).status === 0;
}
