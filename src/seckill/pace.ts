const SLOWEST_POLL_MS = 10_000;
const FASTEST_POLL_MS = 300;
/** Taken for the line's speed until a drain has been measured. */
const ASSUMED_RATE_PER_SECOND = 1000;

/** Seconds until the ticket at `position` (from 1) is decided, at the measured rate of tickets per second. */
export function etaSeconds(position: number, ratePerSecond: number): number {
  const rate = ratePerSecond > 0 ? ratePerSecond : ASSUMED_RATE_PER_SECOND;
  return Math.ceil(position / rate);
}

/** When a shopper should ask again: the farther from the head of the line, the later; between 0.3 and 10 seconds. */
export function pollAfterMs(position: number, ratePerSecond: number): number {
  const rate = ratePerSecond > 0 ? ratePerSecond : ASSUMED_RATE_PER_SECOND;
  const remainingMs = (position / rate) * 1000;
  return Math.round(Math.min(SLOWEST_POLL_MS, Math.max(FASTEST_POLL_MS, remainingMs / 2)));
}
