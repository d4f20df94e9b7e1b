import { joinAgainMs } from '../../../web/src/shop/state/join-retry';

const NOW_MS = Date.parse('2026-12-01T10:00:00.000Z');
const BACKOFF_MS = 700;
const again = (refusal: { status: number; code: string; retryAfterMs?: number; extra?: Record<string, unknown> }): number | null =>
  joinAgainMs({ extra: {}, ...refusal }, NOW_MS, BACKOFF_MS);

describe('joinAgainMs', () => {
  it.each(['SOLD_OUT', 'ENDED', 'PAUSED', 'ALREADY_QUEUED', 'UNPAID_ORDER', 'LIMIT_REACHED', 'INVALID_BASKET', 'UNAUTHENTICATED', 'IDEMPOTENCY_KEY_REUSED', 'INTERNAL'])(
    'takes %s for the last word', (code) => {
      expect(again({ status: 409, code })).toBeNull();
    },
  );

  it('sends a join again whose answer did not come', () => {
    expect(again({ status: 0, code: 'OFFLINE' })).toBe(BACKOFF_MS);
    expect(again({ status: 502, code: 'INTERNAL' })).toBe(BACKOFF_MS);
  });

  it('waits as long as the answer asks for', () => {
    expect(again({ status: 503, code: 'NOT_LOADED', retryAfterMs: 2000 })).toBe(2000);
  });

  it('sends a join again that a clock let out a moment too early, when the sale opens', () => {
    expect(again({ status: 403, code: 'NOT_STARTED', extra: { startsAt: '2026-12-01T10:00:00.800Z' } })).toBe(800);
    expect(again({ status: 403, code: 'NOT_STARTED', extra: { startsAt: '2026-12-01T09:59:59.999Z' } })).toBe(100);
  });

  it('does not hold a join back for a sale that opens later', () => {
    expect(again({ status: 403, code: 'NOT_STARTED', extra: { startsAt: '2026-12-01T10:05:00.000Z' } })).toBeNull();
    expect(again({ status: 403, code: 'NOT_STARTED' })).toBeNull();
  });
});
