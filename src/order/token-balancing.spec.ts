import { nextMove, type Share } from './token-balancing.js';

/** Shards in their order, each as [free units, tickets on standby]. */
const shares = (...entries: [free: number, standby: number][]): Share[] => entries.map(([free, standby], shard) => ({ shard: { saleId: '1', shard }, free, standby }));
const move = (...entries: [free: number, standby: number][]): [from: number, to: number, units: number] | undefined => {
  const next = nextMove(shares(...entries));
  return next && [next.from.shard, next.to.shard, next.units];
};

describe('nextMove', () => {
  it('leaves shards alone that all have units, or none', () => {
    expect(move([3, 0], [1, 0])).toBeUndefined();
    expect(move([0, 5], [0, 0])).toBeUndefined();
    expect(move()).toBeUndefined();
  });

  it('takes half of what the richest has to a dry one, first to where most stand by', () => {
    expect(move([10, 0], [0, 0], [4, 0])).toEqual([0, 1, 5]);
    expect(move([10, 0], [0, 1], [0, 7])).toEqual([0, 2, 5]);
    expect(move([3, 9], [0, 0])).toEqual([0, 1, 1]);
  });

  it('takes a last unit only from where nobody stands by to where somebody does', () => {
    expect(move([1, 0], [0, 0])).toBeUndefined();
    expect(move([1, 0], [0, 1])).toEqual([0, 1, 1]);
    expect(move([1, 2], [0, 1])).toBeUndefined();
    expect(move([1, 2], [1, 0], [0, 1])).toEqual([1, 2, 1]);
  });

  it('moves no more than fits into one go', () => {
    expect(move([1_000_000, 0], [0, 0])).toEqual([0, 1, 1000]);
  });
});
