import { randomInt } from 'node:crypto';

/** A repeatable generator of random numbers. */
export interface Random {
  seed: number;
  /** An integer from 0 to `below - 1`. */
  next: (below: number) => number;
  pick: <T>(items: readonly T[]) => T;
}

/**
 * Prints its seed, so that a run that failed can be repeated: `TEST_SEED=<seed> npm test -- <file>`.
 * The generator is mulberry32 (Tommy Ettinger, public domain).
 */
export function random(label: string): Random {
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));
  process.stderr.write(`${label}: TEST_SEED=${seed}\n`);
  let state = seed;
  const next = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
  const pick = <T>(items: readonly T[]): T => {
    const item = items[next(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  return { seed, next, pick };
}
