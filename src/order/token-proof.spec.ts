import { stillOdd, TokenLedger, type TokenPlace } from './token-proof.js';

const ledger = (issued: number, found: [serial: number, place: TokenPlace][]): TokenLedger => {
  const whereabouts = new TokenLedger(issued);
  for (const [serial, place] of found) whereabouts.found(serial, place);
  return whereabouts;
};

describe('TokenLedger', () => {
  it('finds nothing odd when every serial is in one place, whichever', () => {
    const whereabouts = ledger(5, [[3, 'held'], [1, 'inList'], [5, 'withdrawn'], [2, 'claimed'], [4, 'returning']]);
    expect(whereabouts.odd(true)).toEqual([]);
    expect(whereabouts.counts).toEqual({ inList: 1, claimed: 1, held: 1, returning: 1, withdrawn: 1 });
  });

  it('names serials that are nowhere, where the free ones should be listed', () => {
    const whereabouts = ledger(3, [[2, 'held']]);
    expect(whereabouts.odd(true)).toEqual([{ serial: 1, places: [] }, { serial: 3, places: [] }]);
    expect(whereabouts.odd(false)).toEqual([]);
  });

  it('names serials that are in several places, also twice in the same', () => {
    const whereabouts = ledger(2, [[2, 'inList'], [1, 'held'], [2, 'inList'], [1, 'inList'], [1, 'claimed']]);
    expect(whereabouts.odd(false)).toEqual([
      { serial: 1, places: ['held', 'inList', 'claimed'] },
      { serial: 2, places: ['inList', 'inList'] },
    ]);
    expect(whereabouts.counts).toMatchObject({ inList: 3, held: 1, claimed: 1 });
  });

  it('names serials that were never issued, wherever they are', () => {
    const whereabouts = ledger(1, [[1, 'inList'], [2, 'held'], [0, 'inList'], [-1, 'claimed']]);
    expect(whereabouts.odd(true).map(({ serial }) => serial)).toEqual([-1, 0, 2]);
  });

  it('sorts the odd ones by serial, missing ones among them', () => {
    expect(ledger(3, [[3, 'held'], [3, 'inList'], [1, 'held']]).odd(true).map(({ serial }) => serial)).toEqual([2, 3]);
  });
});

describe('stillOdd', () => {
  it('drops what only was on the move between two counts', () => {
    const before = [{ serial: 1, places: [] }, { serial: 2, places: ['held' as const, 'inList' as const] }, { serial: 3, places: [] }];
    const now = [{ serial: 1, places: [] }, { serial: 2, places: ['held' as const, 'claimed' as const] }, { serial: 4, places: [] }];
    expect(stillOdd(before, now)).toEqual([{ serial: 1, places: [] }]);
  });
});
