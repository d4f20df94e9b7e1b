/**
 * The bucket of a wait: the time rounded up to two significant digits of milliseconds, so that a percentile read from buckets is at most a
 * tenth too long, and a whole sale has some hundred buckets.
 */
export function waitBucket(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  const step = 10 ** Math.max(0, String(whole).length - 2);
  return String(Math.ceil(whole / step) * step);
}

/** Waits counted by bucket: the longest of each bucket, and how many fell into it. */
export type WaitCounts = readonly { ms: number; tickets: number }[];

/** The bound that `share` (0 to 1) of the waits did not exceed; null where nothing was counted. */
export function percentileOf(counts: WaitCounts, share: number): number | null {
  const sorted = [...counts].sort((a, b) => a.ms - b.ms);
  let left = Math.max(1, Math.ceil(sorted.reduce((total, { tickets }) => total + tickets, 0) * share));
  for (const { ms, tickets } of sorted) {
    left -= tickets;
    if (left <= 0) return ms;
  }
  return null;
}
