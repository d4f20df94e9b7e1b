import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
const KILL_WAIT_MS = 5_000;
const REPEAT_MS = 1_000;

/**
 * A process, told apart from a later one that got the same pid by the moment at which it began.
 *
 * @typedef {{ pid: number, began: string | null }} ProcessId  `began` is null where there is no /proc
 */

/** @param {number} pid @returns {ProcessId} */
export function identify(pid) {
  return { pid, began: readStat(pid)?.began ?? null };
}

/**
 * A zombie doesn't count: where nobody collects orphans (as in many containers) it would live for ever.
 *
 * @param {ProcessId} id
 * @returns {boolean}
 */
export function isAlive(id) {
  try {
    process.kill(id.pid, 0);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPERM') return false;
  }
  if (id.began === null) return true;
  const stat = readStat(id.pid);
  return stat !== undefined && stat.began === id.began && !'ZX'.includes(stat.state);
}

/**
 * @param {ProcessId} id
 * @param {NodeJS.Signals} signal
 * @returns {boolean} whether it was there to be told
 */
export function signalProcess(id, signal) {
  if (!isAlive(id)) return false;
  try {
    return process.kill(id.pid, signal);
  } catch {
    return false;
  }
}

/**
 * Asks a process to end, and makes it end when it takes too long.
 *
 * @param {ProcessId} id
 * @param {object} options
 * @param {number} options.graceMs
 * @param {boolean} [options.insist]  ask again every second: MariaDB loses a SIGTERM that comes while it starts
 * @param {NodeJS.Signals} [options.signal]  by which it is asked (default SIGTERM)
 * @param {() => boolean} [options.isUrgent]  asked again and again: whether there is no more time to wait
 * @returns {Promise<'ended' | 'killed'>}
 */
export async function stopProcess(id, { graceMs, insist = false, signal = 'SIGTERM', isUrgent = () => false }) {
  for (let waitedMs = 0; waitedMs < graceMs && !isUrgent(); waitedMs += REPEAT_MS) {
    if (insist || waitedMs === 0) signalProcess(id, signal);
    // A frozen one would never get the message.
    signalProcess(id, 'SIGCONT');
    if (await waitForEnd(id, REPEAT_MS, isUrgent)) return 'ended';
  }
  signalProcess(id, 'SIGKILL');
  await waitForEnd(id, KILL_WAIT_MS);
  return 'killed';
}

/**
 * @param {ProcessId} id
 * @param {number} timeoutMs
 * @param {() => boolean} [isUrgent]
 * @returns {Promise<boolean>} whether it has ended
 */
export async function waitForEnd(id, timeoutMs, isUrgent = () => false) {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(id)) {
    if (Date.now() >= deadline || isUrgent()) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** @param {number} pid @returns {{ state: string, began: string } | undefined} */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets, and may hold anything; what follows it begins with field 3.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', began: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
