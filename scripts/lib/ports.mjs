import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './console.mjs';

// Below the range from which systems take the near end of outgoing connections (32768 and up on Linux): a client that keeps trying a
// port there while its server is down may end up connected to itself, and then the server can't have its port back.
const LOWEST = 20_000;
const HIGHEST = 31_999;
const ATTEMPTS = 50;
const LOOKS = 5;
const LOOK_EVERY_MS = 400;

/**
 * @param {number} port
 * @param {string} [host]
 * @returns {Promise<boolean>}
 */
export function isPortFree(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const server = createServer();
    // Any other obstacle, e.g. a host name that isn't this machine's, is for the server itself to report.
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code !== 'EADDRINUSE'));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Free now; somebody else may take it before its server does, so callers have to be ready to try another.
 *
 * @returns {Promise<number>}
 */
export async function findFreePort() {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    if (await isPortFree(port)) return port;
  }
  throw new SetupError(`no free port found between ${LOWEST} and ${HIGHEST}`);
}

/**
 * @param {number} port
 * @param {string} setting  the one to change
 * @param {string} [host]
 */
export async function requireFreePort(port, setting, host) {
  // The near end of somebody's outgoing connection may lie on it for a moment: the usual ports of the private services are of that range.
  for (let look = 1; !(await isPortFree(port, host)); look += 1) {
    if (look === LOOKS) throw portInUse(port, setting);
    await sleep(LOOK_EVERY_MS);
  }
}

/** @param {number} port @param {string} setting */
export function portInUse(port, setting) {
  return new SetupError(`port ${port} is in use: set ${setting} to another one`);
}
