import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
    return lockOwner(path) === undefined && replaceStale(draft, path);
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
 * Several processes may find the same stale lock at the same time. Only the one that holds the guard may replace it, after a second look.
 *
 * @param {string} draft
 * @param {string} path
 * @returns {boolean}
 */
function replaceStale(draft, path) {
  const guard = `${path}.takeover`;
  if (!tryLink(draft, guard)) {
    const holder = readOwner(guard);
    // Whoever held the guard died in this very place: free for the next attempt.
    if (holder && !isAlive(holder)) rmSync(guard, { force: true });
    return false;
  }
  try {
    if (!existsSync(path)) return tryLink(draft, path);
    if (lockOwner(path)) return false;
    renameSync(draft, path);
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
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
