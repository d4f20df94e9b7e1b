import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './console.mjs';
import { lockOwner, takeLock } from './lock-file.mjs';
import { identify, isAlive, signalProcess, stopProcess } from './processes.mjs';

const GRACE_MS = 30_000;
const HURRIED_GRACE_MS = 3_000;
const LOCK_POLL_MS = 200;
// The service goes first: it still needs the others to finish what it has begun.
const STOP_ORDER = [['app'], ['mysql', 'redis']];

/**
 * @typedef {{ databaseUrl?: string, redisUrl?: string, host?: string, port?: number }} Places
 *   where the servers are, and, where there is one, the service itself listens
 * @typedef {object} State
 * @property {Record<string, import('./processes.mjs').ProcessId>} processes  by name: app, mysql, redis
 * @property {string} [socketDir]
 * @property {Places} [places]  set as soon as others may use the services
 */

/**
 * A folder with the data of the private services. Only one process at a time may run services on it; what it has started is written
 * down in the folder, so that the next one can stop what a killed one left behind.
 */
export class DataFolder {
  /** @type {State} */
  #state = { processes: {} };
  #closed = false;
  #onExit = () => this.#abandon();

  /** @param {string} dir  a folder whose lock this process holds: use `open` */
  constructor(dir) {
    this.dir = dir;
  }

  /**
   * @param {string} dir
   * @param {(line: string) => void} say
   * @returns {Promise<DataFolder>}
   */
  static async open(dir, say) {
    const folder = await DataFolder.tryOpen(dir, say);
    if (folder) return folder;
    const owner = lockOwner(join(dir, 'lock'))?.pid ?? '?';
    throw new SetupError(`${dir} is in use by process ${owner}: stop that one first, or set DATA_DIR to another folder`);
  }

  /**
   * @param {string} dir
   * @param {(line: string) => void} say
   * @returns {Promise<DataFolder | undefined>} undefined when another process uses it
   */
  static async tryOpen(dir, say) {
    mkdirSync(dir, { recursive: true });
    if (!takeLock(join(dir, 'lock'))) return undefined;
    const folder = new DataFolder(dir);
    await folder.#stopLeftovers(say);
    folder.#begin();
    return folder;
  }

  get isClosed() {
    return this.#closed;
  }

  /** A short path: a socket's may have 107 characters only, and the project may lie deep. @returns {string} */
  get socketDir() {
    return this.#state.socketDir ?? '';
  }

  /** Writes a process down, in the same moment as it is started. @param {string} name @param {number} pid */
  record(name, pid) {
    // Started in the very moment in which all is being stopped.
    if (this.#closed) return void signalProcess(identify(pid), 'SIGKILL');
    this.#state.processes[name] = identify(pid);
    this.#save();
  }

  /** Lets other commands on this machine use the services. @param {Places} places */
  announce(places) {
    this.#state.places = places;
    this.#save();
  }

  /**
   * Stops all that runs on the folder and gives it free.
   *
   * @param {{ isUrgent?: () => boolean }} [options]  asked again and again while waiting
   */
  async close({ isUrgent = () => false } = {}) {
    if (this.#closed) return;
    this.#closed = true;
    await stopAll(this.#state, isUrgent);
    this.#forget();
    rmSync(join(this.dir, 'lock'), { force: true });
    process.off('exit', this.#onExit);
  }

  #begin() {
    const socketDir = mkdtempSync(join(tmpdir(), 'seckill-'));
    this.#state = { processes: {}, socketDir };
    this.#save();
    letOthersPass(socketDir);
    letOthersPass(this.dir);
    process.on('exit', this.#onExit);
  }

  /** @param {(line: string) => void} say */
  async #stopLeftovers(say) {
    this.#state = readState(this.dir);
    const names = Object.entries(this.#state.processes).flatMap(([name, id]) => (isAlive(id) ? [name] : []));
    if (names.length > 0) say(`Stopping what an earlier run left behind: ${names.join(', ')}`);
    await stopAll(this.#state, () => false);
    this.#forget();
  }

  /** The process ends without having closed the folder: no time to wait, the next one cleans up. */
  #abandon() {
    for (const id of Object.values(this.#state.processes)) signalProcess(id, 'SIGTERM');
  }

  #forget() {
    if (this.#state.socketDir) rmSync(this.#state.socketDir, { recursive: true, force: true });
    rmSync(statePath(this.dir), { force: true });
  }

  #save() {
    const draft = `${statePath(this.dir)}.new`;
    writeFileSync(draft, JSON.stringify(this.#state, null, 2));
    renameSync(draft, statePath(this.dir));
  }
}

/**
 * Where to find the services that another command, e.g. `npm start`, has running on a folder. While that one is still starting, or
 * keeps them to itself, waits for it.
 *
 * @param {string} dir
 * @param {number} timeoutMs
 * @param {(line: string) => void} say
 * @returns {Promise<Places | undefined>} undefined when nobody uses the folder
 */
export async function findRunningServices(dir, timeoutMs, say) {
  const deadline = Date.now() + timeoutMs;
  for (let waits = 0; ; waits += 1) {
    const owner = lockOwner(join(dir, 'lock'));
    if (!owner) return undefined;
    const { places } = readState(dir);
    if (places) return places;
    if (Date.now() > deadline) throw new SetupError(`${dir} is in use by process ${owner.pid}, which doesn't get ready`);
    if (waits === 0) say(`Waiting for process ${owner.pid}, which uses ${dir}`);
    await sleep(LOCK_POLL_MS);
  }
}

/** Stops what a killed owner left running on a folder, unless somebody alive uses it. @param {string} dir @param {(line: string) => void} say */
export async function cleanUpAfterDeadOwner(dir, say) {
  if (lockOwner(join(dir, 'lock'))) return false;
  await (await DataFolder.open(dir, say)).close();
  return true;
}

/** @param {State} state @param {() => boolean} isUrgent */
async function stopAll(state, isUrgent) {
  for (const names of STOP_ORDER) {
    await Promise.all(
      names.map(async (name) => {
        const id = state.processes[name];
        // The service may take a second SIGTERM for "at once".
        if (id) await stopProcess(id, { graceMs: GRACE_MS, insist: name !== 'app', isUrgent: withShortGrace(isUrgent) });
      }),
    );
  }
}

/** Databases get a moment even when it is urgent: an orderly end saves them a recovery. @param {() => boolean} isUrgent */
function withShortGrace(isUrgent) {
  let urgentSince = 0;
  return () => {
    if (isUrgent()) urgentSince ||= Date.now();
    return urgentSince > 0 && Date.now() - urgentSince > HURRIED_GRACE_MS;
  };
}

/** The servers may run as another user, who has to get to what belongs to them. @param {string} dir */
function letOthersPass(dir) {
  if (process.getuid?.() === 0) chmodSync(dir, statSync(dir).mode | 0o011);
}

/** @param {string} dir */
function statePath(dir) {
  return join(dir, 'processes.json');
}

/** @param {string} dir @returns {State} */
function readState(dir) {
  try {
    return JSON.parse(readFileSync(statePath(dir), 'utf8'));
  } catch {
    return { processes: {} };
  }
}
