import { signal, type ReadonlySignal } from '@preact/signals';

const TICK_MS = 100;

/** Milliseconds that the service's clock is ahead of this browser's. */
let offsetMs = 0;
let leastTripMs = Infinity;

const now = signal(Date.now());
setInterval(() => (now.value = serverNowMs()), TICK_MS);

/** The service's time, ticking ten times a second. */
export const serverTime: ReadonlySignal<number> = now;

/** The service's time in epoch milliseconds, by what its answers have said so far. */
export const serverNowMs = (): number => Date.now() + offsetMs;

/**
 * Sets the clock by an answer of the service. The answer that took the least time is believed, as in NTP's clock filter (RFC 5905, 10): of
 * its way there and back, half was over when the time was read, and what is wrong with that is at most half of a short trip.
 * @param serverTime as the answer has it, ISO 8601
 * @param askedAtMs when the call was made, by `performance.now()`
 */
export function setServerClock(serverTime: string, askedAtMs: number): void {
  const tripMs = performance.now() - askedAtMs;
  if (tripMs > leastTripMs + 5) return;
  leastTripMs = Math.min(leastTripMs, tripMs);
  offsetMs = Date.parse(serverTime) + tripMs / 2 - Date.now();
  now.value = serverNowMs();
}
