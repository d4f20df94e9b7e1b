/** @throws RangeError for no values */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value below which `percent` of the values lie (nearest rank; the mean of both in the middle). @throws RangeError for no values */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number): number => {
    const value = sorted[Math.min(sorted.length - 1, Math.max(0, index))];
    if (value === undefined) throw new RangeError('no values');
    return value;
  };
  if (percent === 50 && sorted.length % 2 === 0) return (at(middle - 1) + at(middle)) / 2;
  return at(Math.ceil((percent / 100) * sorted.length) - 1);
}

/** A figure that was measured several times. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export const spreadOf = (values: readonly number[]): Spread => ({ median: median(values), min: Math.min(...values), max: Math.max(...values) });
