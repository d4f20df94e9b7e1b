import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// Servers are installed where ordinary users' PATH doesn't look.
const SERVER_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/usr/local/bin', '/usr/bin'];

/**
 * @param {...string} names  in order of preference
 * @returns {string | undefined} the absolute path of the first that is there
 */
export function findOnPath(...names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...SERVER_FOLDERS];
  for (const name of names) {
    const folder = folders.find((candidate) => isProgram(join(candidate, name)));
    if (folder) return join(folder, name);
  }
  return undefined;
}

/** @param {string} path @returns {boolean} */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
