import { parseArgs, type ParseArgsConfig } from 'node:util';
import { reasonOf } from '../src/infra/errors.js';

/**
 * Reads the words of a command with `read`. What is wrong with them is told in one line, before anything is started, and ends the process
 * with 1; with SECKILL_CHECK_ONLY=1 it ends also when nothing is wrong, for whoever would have to start servers first.
 */
export function commandLine<T>(name: string, read: () => T): T {
  try {
    const wishes = read();
    if (process.env.SECKILL_CHECK_ONLY === '1') process.exit(0);
    return wishes;
  } catch (error) {
    process.stderr.write(`[${name}] ${reasonOf(error)}\n`);
    process.exit(1);
  }
}

/** The options of this process's command line. @throws TypeError for an option that there isn't, and for a word that is none */
export const optionsOf = <T extends NonNullable<ParseArgsConfig['options']>>(options: T): ReturnType<typeof parseArgs<{ options: T }>>['values'] => parseArgs({ options }).values;

/** @throws RangeError unless `text`, the value of an option, is a positive integer */
export function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`--${option} must be a positive integer, not "${text}"`);
  return value;
}

/** Names with commas between them; undefined where none were given. @throws RangeError for one that isn't among `known` */
export function namesIn(option: string, text: string | undefined, known: readonly string[]): string[] | undefined {
  const names = text?.split(',');
  const unknown = names?.filter((name) => !known.includes(name)) ?? [];
  if (unknown.length > 0) throw new RangeError(`--${option}: there is no "${unknown.join('", "')}"; there are ${known.join(', ')}`);
  return names;
}
