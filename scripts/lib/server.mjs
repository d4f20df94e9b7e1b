import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './console.mjs';
import { identify, isAlive, signalProcess, stopProcess, waitForEnd } from './processes.mjs';

const READY_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 30_000;
const END_TIMEOUT_MS = 10_000;
const POLL_MS = 30;
const LOG_LINES_SHOWN = 8;
/** @type {ReadonlySet<NodeJS.Signals>} */
const SIGNALS_THAT_END_NOTHING = new Set(['SIGSTOP', 'SIGCONT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']);

/**
 * @typedef {object} ServerSpec
 * @property {string} name  as in the data folder's list: mysql, redis
 * @property {string} title
 * @property {number} port
 * @property {string} command
 * @property {string[]} args
 * @property {string} logFile
 * @property {import('./service-user.mjs').ServiceUser} [user]
 * @property {() => Promise<boolean>} isReady  by a real conversation with the server
 * @property {(pid: number) => void} [onSpawn]
 * @property {(name: string, how: string) => void} [onUnexpectedExit]  how: `by SIGKILL`, `with exit code 1`
 */

/** The server found its port taken. */
export class PortTakenError extends SetupError {}

/** One private server: can be started, frozen, killed and started again on the same port and data. */
export class Server {
  /** @type {import('./processes.mjs').ProcessId | undefined} */
  #process;
  #endIsExpected = false;

  /** @param {ServerSpec} spec */
  constructor(spec) {
    this.spec = spec;
    this.port = spec.port;
    this.logFile = spec.logFile;
  }

  /** @returns {number | undefined} */
  get pid() {
    return this.#process?.pid;
  }

  get isRunning() {
    return this.#process !== undefined && isAlive(this.#process);
  }

  /** Starts it unless it runs, and waits until it serves. */
  async start() {
    if (this.isRunning) return;
    const logStart = existsSync(this.logFile) ? statSync(this.logFile).size : 0;
    this.#endIsExpected = false;
    this.#process = this.#spawn();
    await this.#waitUntilReady(this.#process, logStart);
  }

  /** Asks it to end in good order, and waits for that. */
  async stop() {
    this.#endIsExpected = true;
    if (this.#process) await stopProcess(this.#process, { graceMs: STOP_GRACE_MS, insist: true });
  }

  /** Sends a signal; with one that ends a process, waits for its end. @param {NodeJS.Signals} [signal] */
  async kill(signal = 'SIGKILL') {
    if (!this.#process) return;
    const ends = !SIGNALS_THAT_END_NOTHING.has(signal);
    if (ends) this.#endIsExpected = true;
    signalProcess(this.#process, signal);
    if (!ends || (await waitForEnd(this.#process, END_TIMEOUT_MS))) return;
    throw new Error(`${this.spec.title} doesn't end on ${signal}`);
  }

  /** Connections stay open, nothing is answered any more. */
  freeze() {
    if (this.#process) signalProcess(this.#process, 'SIGSTOP');
  }

  thaw() {
    if (this.#process) signalProcess(this.#process, 'SIGCONT');
  }

  /** The end of its log. */
  lastWords() {
    return lastLines(readFileSync(this.logFile, 'utf8'));
  }

  /** @returns {import('./processes.mjs').ProcessId} */
  #spawn() {
    const { command, args, user, name, title, onSpawn, onUnexpectedExit } = this.spec;
    const log = openSync(this.logFile, 'a');
    // A process group of its own: a Ctrl-C goes to the terminal's whole group, and the service must be down before its database is.
    const child = spawn(command, args, { detached: true, cwd: '/', stdio: ['ignore', log, log], ...user });
    closeSync(log);
    child.on('error', () => {}); // Told below: without a pid.
    if (child.pid === undefined) throw new SetupError(`${title} can't be started: ${command}`);
    onSpawn?.(child.pid);
    child.once('exit', (code, signal) => {
      if (!this.#endIsExpected) onUnexpectedExit?.(name, signal ? `by ${signal}` : `with exit code ${code}`);
    });
    child.unref();
    return identify(child.pid);
  }

  /** @param {import('./processes.mjs').ProcessId} id @param {number} logStart */
  async #waitUntilReady(id, logStart) {
    const { isReady, title } = this.spec;
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (!(await isReady())) {
      if (!isAlive(id)) throw this.#failure(`${title} ended while starting`, logStart);
      if (Date.now() > deadline) {
        await this.stop();
        throw this.#failure(`${title} did not get ready within ${READY_TIMEOUT_MS / 1000} s`, logStart);
      }
      await sleep(POLL_MS);
    }
  }

  /** @param {string} what @param {number} logStart @returns {SetupError} */
  #failure(what, logStart) {
    const text = readFileSync(this.logFile).subarray(logStart).toString();
    if (/address (already )?in use/i.test(text)) return new PortTakenError(`${what}: port ${this.port} is in use`);
    return new SetupError(`${what}; the end of ${this.logFile}:\n  ${lastLines(text)}`);
  }
}

/** @param {string} text */
function lastLines(text) {
  return text.trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n  ');
}
