import { saleState } from './sale-state.js';

const START = Date.parse('2026-11-11T12:00:00Z');
const END = Date.parse('2026-11-11T13:00:00Z');
const window = { startsAt: new Date(START), endsAt: new Date(END) };

describe('saleState', () => {
  it('follows the window to the millisecond: the start belongs to it, the end does not', () => {
    const states = [START - 1, START, END - 1, END].map((nowMs) => saleState({ ...window, stage: 'published' }, nowMs));
    expect(states).toEqual(['scheduled', 'live', 'live', 'ended']);
  });

  it('is paused until the end, also before the start', () => {
    expect([START - 1, START, END - 1, END].map((nowMs) => saleState({ ...window, stage: 'paused' }, nowMs))).toEqual(['paused', 'paused', 'paused', 'ended']);
  });

  it.each(['draft', 'ended'] as const)('is %s whatever the clock says', (stage) => {
    for (const nowMs of [START - 1, START, END]) expect(saleState({ ...window, stage }, nowMs)).toBe(stage);
  });
});
