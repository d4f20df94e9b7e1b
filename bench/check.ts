import { existsSync, readFileSync } from 'node:fs';
import type { Verdict } from './targets.js';

/** How much worse than the committed figure a ratio may be: rounds on a busy machine differ by so much. */
export const TOLERANCE = 0.25;

type Baseline = Record<string, number>;

/** What got worse than the baseline by more than the tolerance, in words. Figures that the baseline doesn't know are left alone. */
export function regressions(verdicts: readonly Verdict[], file: string): string[] {
  const baseline = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Baseline) : {};
  return verdicts.flatMap(({ id, value: { median }, limit }) => {
    const before = baseline[id];
    if (before === undefined) return [];
    const isWorse = 'atMost' in limit ? median > before * (1 + TOLERANCE) : median < before / (1 + TOLERANCE);
    return isWorse ? [`${id}: ${median.toFixed(2)}, was ${before.toFixed(2)}`] : [];
  });
}

/** The figures as a baseline keeps them. */
export const toBaseline = (verdicts: readonly Verdict[]): Baseline =>
  Object.fromEntries(verdicts.map(({ id, value }) => [id, Number(value.median.toFixed(3))]));
