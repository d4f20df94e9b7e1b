import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { identify, isAlive } from './processes.mjs';

/** @typedef {import('./processes.mjs').ProcessId} ProcessId */

/**
 * Takes a lock that is a file with its owner in it. A dead owner's lock doesn't count.
 *
 * @param {string} path
 * @returns {boolean} whether it was free
 */
export function takeLock(path) {
  // A link appears whole or not at all: nobody can read a lock that has no owner yet.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(identify(process.pid)));
  try {
    if (tryLink(draft, path)) return true;
    return !lockOwner(path) && removeStale(path) && tryLink(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** @param {string} path @returns {ProcessId | undefined} the living process that holds the lock */
export function lockOwner(path) {
  const owner = readOwner(path);
  return owner && isAlive(owner) ? owner : undefined;
}

/**
 * Two processes may find the same stale lock at the same time. Whoever moves it away looks at what it really got, and puts it back
 * where that is the other one's new lock.
 *
 * @param {string} path
 * @returns {boolean} whether the stale lock is gone
 */
function removeStale(path) {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return true;
  }
  const isStale = lockOwner(aside) === undefined;
  if (!isStale) tryLink(aside, path);
  rmSync(aside, { force: true });
  return isStale;
}

/** @param {string} from @param {string} to @returns {boolean} */
function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} path @returns {ProcessId | undefined} */
function readOwner(path) {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8'));
    return Number.isInteger(owner?.pid) ? owner : undefined;
  } catch {
    return undefined;
  }
}
