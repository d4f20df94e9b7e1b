/** @type {NodeJS.Signals[]} */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const PARENT_POLL_MS = 500;
// A Ctrl-C at the terminal arrives twice: once from the terminal and once passed on by npm. Only a later one is a second Ctrl-C.
const SAME_KEYSTROKE_MS = 1_000;

/**
 * Calls `handle` at each signal to stop, and when the npm that started us is gone: npm passes signals on to a shell of its own only,
 * and that may die of them without telling us.
 *
 * @param {(signal: NodeJS.Signals) => void} handle
 */
export function onEachStopSignal(handle) {
  for (const signal of STOP_SIGNALS) process.on(signal, handle);
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    handle('SIGTERM');
  }, PARENT_POLL_MS);
  timer.unref();
}

/**
 * Calls `stop` once, at the first signal to stop.
 *
 * @param {(signal: NodeJS.Signals, isUrgent: () => boolean) => void} stop  `isUrgent` becomes true when the signal comes again
 */
export function onStopSignal(stop) {
  let firstAt = 0;
  let isUrgent = false;
  onEachStopSignal((signal) => {
    if (firstAt === 0) {
      firstAt = Date.now();
      stop(signal, () => isUrgent);
    } else if (signal === 'SIGINT' && Date.now() - firstAt > SAME_KEYSTROKE_MS) {
      isUrgent = true;
    }
  });
}
