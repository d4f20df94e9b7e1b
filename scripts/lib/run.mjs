import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { SetupError } from './console.mjs';
import { CLI_PROGRAM, projectRoot } from './project.mjs';
import { onEachStopSignal } from './stop-signals.mjs';

/** What runs now, and how to pass a signal on to it. @type {Set<(signal: NodeJS.Signals) => void>} */
const running = new Set();
/** The signal to stop that `outliveCommands` has seen. @type {NodeJS.Signals | undefined} */
let stoppedBy;

/**
 * Runs a command to its end in the project's folder and the terminal's foreground. With `detached` it is one that has others at work
 * and nothing to lose: instead of a signal, its whole process group is killed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} its exit code, 128 + the signal's number when a signal ended it
 */
export function run(command, args, options = {}) {
  // It came between two commands, and nobody else has heard it.
  if (stoppedBy) return Promise.resolve(128 + constants.signals[stoppedBy]);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: projectRoot, stdio: 'inherit', ...options });
    const pass = (/** @type {NodeJS.Signals} */ signal) => void (options.detached ? killGroup(child.pid) : child.kill(signal));
    running.add(pass);
    child.once('error', (error) => {
      running.delete(pass);
      reject(new SetupError(`${command} can't be run: ${error.message}`));
    });
    child.once('exit', (code, signal) => {
      running.delete(pass);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

/**
 * Runs a step of the set-up, which has to succeed; what it prints goes where the set-up's lines go.
 *
 * @param {import('./console.mjs').Lines} lines
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export async function runStep(lines, command, args, options = {}) {
  const code = await run(command, args, { stdio: ['ignore', lines.fd, lines.fd], ...options });
  if (code !== 0) throw new SetupError(`"${[command, ...args].join(' ')}" failed with exit code ${code}`);
}

/** Runs one of the service's own programs, e.g. `dist/src/cli/main.js`, under this very Node. */
export const nodeCommand = process.execPath;

/**
 * Lets the command line look at a command and at the settings, and do nothing; it says itself what is wrong.
 *
 * @param {string[]} args
 * @returns {Promise<number>} 0 when both make sense
 */
export function checkCommand(args) {
  return run(nodeCommand, [CLI_PROGRAM, ...args], { env: { ...process.env, SECKILL_CHECK_ONLY: '1' } });
}

/** npm as the one that started us, where it did: another one may come first on the PATH. @param {string[]} args @returns {[string, string[]]} */
export function npmCommand(args) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') ? [process.execPath, [cli, ...args]] : ['npm', args];
}

/** Passes a signal on to what `run` has running now. @param {NodeJS.Signals} signal */
export function signalRunning(signal) {
  for (const pass of running) pass(signal);
}

/** @param {number | undefined} leader */
function killGroup(leader) {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it has ended already.
  }
}

/**
 * Keeps this process alive over a stop signal until its foreground command has ended, so that it can clean up after it.
 * A Ctrl-C reaches the command from the terminal as well; being told twice does it no harm.
 */
export function outliveCommands() {
  onEachStopSignal((signal) => {
    stoppedBy ??= signal;
    signalRunning(signal);
  });
}
