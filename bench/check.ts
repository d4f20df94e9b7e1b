import { existsSync, readFileSync } from 'node:fs';
import type { Verdict } from './targets.js';

/** How much worse than the committed figure a ratio may be: rounds on a busy machine differ by so much. */
export const TOLERANCE = 0.25;

type Baseline = Record<string, number>;

/**
 * What got worse than the baseline by more than the tolerance, or can't be told, in words. Figures that the baseline doesn't know are left
 * alone.
 * @param isWhole whether every figure of the baseline has to be among the measured ones
 */
export function regressions(verdicts: readonly Verdict[], file: string, isWhole: boolean): string[] {
  const baseline = readBaseline(file);
  const worse = verdicts.flatMap(({ id, value: { median }, limit }) => {
    const before = baseline[id];
    if (before === undefined) return [];
    const isGood = 'atMost' in limit ? median <= before * (1 + TOLERANCE) : median >= before / (1 + TOLERANCE);
    return isGood ? [] : [`${id}: ${median.toFixed(2)}, was ${before.toFixed(2)}`];
  });
  const measured = new Set(verdicts.map(({ id }) => id));
  const missing = isWhole ? Object.keys(baseline).filter((id) => !measured.has(id)) : [];
  const isIdle = verdicts.every(({ id }) => baseline[id] === undefined);
  return [...worse, ...missing.map((id) => `${id}: not measured`), ...(isIdle ? ['nothing that was measured is in the baseline'] : [])];
}

const readBaseline = (file: string): Baseline => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Baseline) : {});

/** The baseline with these figures in it; what was not measured this time stays as it was. */
export const accepted = (verdicts: readonly Verdict[], file: string): Baseline =>
  ({ ...readBaseline(file), ...Object.fromEntries(verdicts.map(({ id, value }) => [id, Number(value.median.toFixed(3))])) });
