import { signal, type ReadonlySignal } from '@preact/signals';

const TICK_MS = 100;

/** By how much another running clock of the browser may drift before one of them must have been set, or the device have slept. */
const DRIFT_MS = 500;

/** Of the time of day over the time that the page is open, which nobody sets. */
const aheadMs = (): number => Date.now() - performance.now();

/** Milliseconds that the service's clock is ahead of the time that the page is open; until an answer has told, by the device's clock. */
let offsetMs = aheadMs();
let leastTripMs = Infinity;
let lastAheadMs = offsetMs;

const now = signal(Date.now());
setInterval(() => (now.value = serverNowMs()), TICK_MS);

/** The service's time, ticking ten times a second. */
export const serverTime: ReadonlySignal<number> = now;

/** The service's time in epoch milliseconds, by what its answers have said so far. */
export const serverNowMs = (): number => performance.now() + offsetMs;

/**
 * Sets the clock by an answer of the service. The answer that took the least time is believed, as in NTP's clock filter (RFC 5905, 10): of
 * its way there and back, half was over when the time was read, and what is wrong with that is at most half of a short trip.
 * @param serverTime as the answer has it, ISO 8601
 * @param askedAtMs when the call was made, by `performance.now()`
 */
export function setServerClock(serverTime: string, askedAtMs: number): void {
  const tripMs = performance.now() - askedAtMs;
  // While a device sleeps, the time that the page is open may stand still: what was known is wrong by as much.
  if (Math.abs(aheadMs() - lastAheadMs) > DRIFT_MS) leastTripMs = Infinity;
  lastAheadMs = aheadMs();
  if (tripMs > leastTripMs + 5) return;
  leastTripMs = Math.min(leastTripMs, tripMs);
  offsetMs = Date.parse(serverTime) + tripMs / 2 - performance.now();
  now.value = serverNowMs();
}
