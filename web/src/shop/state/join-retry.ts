interface Refusal {
  status: number;
  code: string;
  retryAfterMs?: number;
  extra: Record<string, unknown>;
}

/** A clock may run ahead by so much: the join that it let out too early is sent again in the second the sale opens. */
const EARLY_MS = 3000;
/** Answers that say nothing about the join itself: the same join may be sent again. */
const PASSING = new Set(['OFFLINE', 'UNAVAILABLE', 'NOT_LOADED', 'IDEMPOTENCY_KEY_IN_USE', 'TOO_MANY_REQUESTS', 'REQUEST_TIMEOUT']);

/**
 * After how many milliseconds the same join, with its key, is sent again; null when the answer is the last word.
 * @param backoffMs the wait where the answer names none
 */
export function joinAgainMs({ status, code, retryAfterMs, extra }: Refusal, nowMs: number, backoffMs: number): number | null {
  if (code === 'NOT_STARTED') {
    const earlyMs = typeof extra.startsAt === 'string' ? Date.parse(extra.startsAt) - nowMs : Infinity;
    return earlyMs <= EARLY_MS ? Math.max(100, earlyMs) : null;
  }
  // What stands between may answer 502 or 504 in the service's place.
  if (PASSING.has(code) || status === 502 || status === 504) return Math.max(retryAfterMs ?? 0, backoffMs);
  return null;
}
