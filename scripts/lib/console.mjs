/**
 * What the set-up scripts say: one line a step, one line when they can't go on.
 *
 * @typedef {{ say: (text: string) => void, fd: number }} Lines  `fd` is where the output of commands run on the way goes
 */

/** An obstacle that the person at the keyboard can remove; its message is the whole explanation, no stack wanted. */
export class SetupError extends Error {}

/**
 * @param {NodeJS.WriteStream & { fd: number }} stream  stderr where a command's stdout has to stay clean
 * @returns {Lines}
 */
export function linesTo(stream) {
  // A terminal that was closed is no reason to leave the clean-up undone.
  stream.on('error', () => {});
  return { fd: stream.fd, say: (text) => void stream.write(`[seckill] ${text}\n`) };
}

/**
 * Says in one clear line on stderr what is wrong and ends the process with exit code 1.
 *
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  process.stderr.write(`[seckill] ${message}\n`);
  process.exit(1);
}

/**
 * Runs a script's body and ends the process with the exit code that it answers.
 *
 * @param {() => Promise<number | void>} main
 */
export async function runMain(main) {
  try {
    process.exit((await main()) ?? 0);
  } catch (error) {
    if (error instanceof SetupError) fail(error.message);
    throw error;
  }
}
