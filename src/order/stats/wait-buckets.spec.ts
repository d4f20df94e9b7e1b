import { percentileOf, waitBucket } from './wait-buckets.js';

describe('the buckets of waits', () => {
  it.each([[-5, '0'], [0, '0'], [0.2, '1'], [7, '7'], [99, '99'], [100, '100'], [101, '110'], [999, '1000'], [1000, '1000'], [61_234, '62000']])('put %p ms into %s', (ms, bucket) => {
    expect(waitBucket(ms)).toBe(bucket);
  });

  it('are never shorter than the wait, and at most a tenth longer', () => {
    for (let ms = 10; ms < 5_000_000; ms = Math.ceil(ms * 1.013)) {
      const bound = Number(waitBucket(ms));
      expect(bound).toBeGreaterThanOrEqual(ms);
      expect(bound).toBeLessThanOrEqual(ms * 1.1);
    }
  });

  it('give the percentiles of what was counted, in whatever order', () => {
    const counts = [{ ms: 1000, tickets: 1 }, { ms: 10, tickets: 50 }, { ms: 20, tickets: 49 }];
    expect([0, 0.5, 0.51, 0.99, 1].map((share) => percentileOf(counts, share))).toEqual([10, 10, 20, 20, 1000]);
    expect(percentileOf([], 0.5)).toBeNull();
  });
});
