import type { Spread } from './statistics.js';

/** One figure that was promised. */
export interface Verdict {
  /** Stays the same from run to run; the baseline knows it by this. */
  id: string;
  title: string;
  value: Spread;
  limit: { atMost: number } | { atLeast: number };
  met: boolean;
}

export function atMost(id: string, title: string, value: Spread | number, limit: number): Verdict {
  const spread = asSpread(value);
  return { id, title, value: spread, limit: { atMost: limit }, met: spread.median <= limit };
}

export function atLeast(id: string, title: string, value: Spread | number, limit: number): Verdict {
  const spread = asSpread(value);
  return { id, title, value: spread, limit: { atLeast: limit }, met: spread.median >= limit };
}

const asSpread = (value: Spread | number): Spread => (typeof value === 'number' ? { median: value, min: value, max: value } : value);
