import { etaSeconds, pollAfterMs } from './pace.js';

describe('the pace of a line', () => {
  it('tells whole seconds until a place is decided, never too few', () => {
    expect([etaSeconds(1, 100), etaSeconds(100, 100), etaSeconds(101, 100), etaSeconds(250, 0.5)]).toEqual([1, 1, 2, 500]);
  });

  it('takes a rate for granted until one was measured', () => {
    for (const rate of [0, -1, NaN]) expect([etaSeconds(2500, rate), pollAfterMs(4000, rate)]).toEqual([3, 2000]);
  });

  it('lets those in front ask more often than those behind', () => {
    const pauses = [1, 1000, 5000, 50_000].map((position) => pollAfterMs(position, 1000));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(new Set(pauses).size).toBeGreaterThan(2);
  });

  it('stays between 0.3 and 10 seconds, in whole milliseconds', () => {
    expect([pollAfterMs(1, 1e6), pollAfterMs(1e9, 0.001), pollAfterMs(1, 1)]).toEqual([300, 10_000, 500]);
    expect(Number.isInteger(pollAfterMs(1000, 333))).toBe(true);
  });
});
