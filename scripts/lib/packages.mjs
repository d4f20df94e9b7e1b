import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project.mjs';
import { npmCommand, runStep } from './run.mjs';

/**
 * Installs the packages of `package-lock.json` unless they are there already.
 *
 * @param {import('./console.mjs').Lines} lines
 */
export async function ensurePackages(lines) {
  if (packagesAreComplete(projectRoot)) return;
  lines.say('Installing packages (npm ci)');
  // Development packages too, whatever NODE_ENV says: the build needs them.
  await runStep(lines, ...npmCommand(['ci', '--include=dev', '--no-audit', '--no-fund']));
}

/**
 * npm writes `node_modules/.package-lock.json` at the very end of an install, so what it lists is really there. Packages are compared
 * by content and not by time: a checkout touches files without changing them.
 *
 * @param {string} root
 * @returns {boolean}
 */
export function packagesAreComplete(root) {
  const wanted = readLock(join(root, 'package-lock.json'));
  const installed = readLock(join(root, 'node_modules', '.package-lock.json'));
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    const there = installed[path];
    // Optional ones are often for another system.
    if (!there) return path === '' || Boolean(entry.optional ?? entry.devOptional);
    return there.version === entry.version && there.integrity === entry.integrity;
  });
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }} LockEntry
 * @param {string} path
 * @returns {Record<string, LockEntry> | undefined}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
