import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './console.mjs';
import { identify, isAlive, stopProcess } from './processes.mjs';
import { projectRoot, SERVICE_PROGRAM } from './project.mjs';
import { nodeCommand } from './run.mjs';

const READY_TIMEOUT_MS = 60_000;
const ASK_TIMEOUT_MS = 2_000;
const POLL_MS = 100;
const GRACE_MS = 30_000;

/**
 * Starts the service itself in a process group of its own: it is stopped by us alone, in its turn.
 *
 * @param {{ env: NodeJS.ProcessEnv, onExit: (how: string) => void }} options
 */
export function startApp({ env, onExit }) {
  const child = spawn(nodeCommand, ['--enable-source-maps', SERVICE_PROGRAM], {
    cwd: projectRoot,
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (child.pid === undefined) throw new SetupError('the service can\'t be started');
  child.once('exit', (code, signal) => onExit(signal ? `on ${signal}` : `with exit code ${code}`));
  const id = identify(child.pid);
  return {
    pid: child.pid,
    isRunning: () => isAlive(id),
    // It takes SIGINT and SIGTERM alike, and logs which one it was.
    stop: (/** @type {() => boolean} */ isUrgent, /** @type {'SIGINT' | 'SIGTERM'} */ signal) => stopProcess(id, { graceMs: GRACE_MS, isUrgent, signal }),
  };
}

/**
 * Waits until the service says that it can serve.
 *
 * @param {string} baseUrl
 * @param {() => boolean} isRunning
 */
export async function waitUntilReady(baseUrl, isRunning) {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const missing = await missingFor(`${baseUrl}/health/ready`);
    if (missing === '') return;
    if (!isRunning()) throw new SetupError('the service ended while starting');
    if (Date.now() > deadline) throw new SetupError(`the service did not get ready within ${READY_TIMEOUT_MS / 1000} s: ${missing}`);
    await sleep(POLL_MS);
  }
}

/** Where a browser on this machine finds a service that listens on `host`. @param {string} host @param {number} port */
export function localAddress(host, port) {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** What the service lacks to be ready, in words; nothing when it is. @param {string} url @returns {Promise<string>} */
async function missingFor(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ASK_TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.ok ? '' : 'it runs, but Redis or the database does not answer (look at REDIS_URL and DATABASE_URL)';
  } catch {
    return 'it does not answer yet';
  }
}
