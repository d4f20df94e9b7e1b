import { phaseOf } from '../../../web/src/shop/state/sale-phase';

const sale = { state: 'scheduled', startsAt: '2026-12-01T10:00:00.000Z', endsAt: '2026-12-01T11:00:00.000Z' } as const;
const startMs = Date.parse(sale.startsAt);
const endMs = Date.parse(sale.endsAt);

describe('phaseOf', () => {
  it('opens a sale at its second, whatever state was heard of last', () => {
    expect(phaseOf(sale, startMs - 1)).toBe('upcoming');
    expect(phaseOf(sale, startMs)).toBe('live');
  });

  it('ends a sale at its end', () => {
    expect(phaseOf({ ...sale, state: 'live' }, endMs - 1)).toBe('live');
    expect(phaseOf({ ...sale, state: 'live' }, endMs)).toBe('over');
    expect(phaseOf({ ...sale, state: 'paused' }, endMs)).toBe('over');
  });

  it('believes an operator who ended or paused it', () => {
    expect(phaseOf({ ...sale, state: 'ended' }, startMs + 1)).toBe('over');
    expect(phaseOf({ ...sale, state: 'paused' }, startMs + 1)).toBe('paused');
  });
});
