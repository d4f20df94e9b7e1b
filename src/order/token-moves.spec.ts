import fc from 'fast-check';
import type { ShardLine } from '../seckill/index.js';
import { gatheringMoves, nextMoves, type Move } from './token-moves.js';

const ITEM = '1';
/** The item, of which a shopper may have one. */
const item = { id: ITEM, limitPerUser: 1 };

type Share = [free: number, standby: number, isAtRest?: boolean, wantedMsAgo?: number | undefined, queued?: number];

/** Shards in their order, each as [free units, tickets on standby], none of which is being offered anything, or was asked for a unit in vain. */
const shares = (...entries: Share[]): ShardLine[] =>
  entries.map(([free, standby, isAtRest = true, wantedMsAgo, queued = 0], shard) => ({
    shard: { saleId: '1', shard }, free: new Map([[ITEM, free]]), queued, standby, isAtRest, wantedMsAgo: new Map(wantedMsAgo === undefined ? [] : [[ITEM, wantedMsAgo]]), tickets: [],
  }));
const moves = (...entries: Share[]): [from: number, to: number, units: number][] =>
  nextMoves(shares(...entries), item).map(({ from, to, units }) => [from.shard, to.shard, units]);
/** A shard at which one was asked for in vain so long ago. */
const wanted = (free: number, wantedMsAgo: number): Share => [free, 0, true, wantedMsAgo];
/** A shard with so many in its queue. */
const busy = (free: number, queued: number): Share => [free, 0, false, undefined, queued];

describe('nextMoves', () => {
  it('leaves shards alone that all have units, or none', () => {
    expect(moves([3, 0], [1, 0])).toEqual([]);
    expect(moves([0, 5], [0, 0])).toEqual([]);
    expect(moves()).toEqual([]);
  });

  it('takes half of what the richest has to a dry one, first to where most stand by', () => {
    expect(moves([10, 0], [0, 0], [4, 0])).toEqual([[0, 1, 5]]);
    expect(moves([10, 0], [0, 1], [0, 7])).toEqual([[0, 2, 5]]);
    expect(moves([3, 9], [0, 0])).toEqual([[0, 1, 1]]);
  });

  it('takes a last unit only from where nobody stands by to where somebody does', () => {
    expect(moves([1, 0], [0, 0])).toEqual([]);
    expect(moves([1, 0], [0, 1])).toEqual([[0, 1, 1]]);
    expect(moves([1, 2], [0, 1])).toEqual([]);
    expect(moves([1, 2], [1, 0], [0, 1])).toEqual([[1, 2, 1]]);
  });

  it('leaves where it is what is just being offered to a line', () => {
    expect(moves([3, 9, false], [0, 0])).toEqual([]);
    expect(moves([5, 9, false], [3, 0], [0, 0])).toEqual([[1, 2, 1]]);
    expect(moves([3, 0, false], [0, 0])).toEqual([[0, 1, 1]]);
  });

  it('leaves where they are the units that a queue may take', () => {
    expect(moves(busy(60, 60), [0, 0])).toEqual([]);
    expect(moves(busy(60, 90), [0, 0])).toEqual([]);
    expect(moves(busy(60, 50), [0, 0])).toEqual([[0, 1, 5]]);
    expect(moves(busy(60, 50), [20, 0], [0, 0])).toEqual([[1, 2, 10]]);
    expect(moves(busy(1, 1), [0, 1])).toEqual([]);
    const ofTwo = nextMoves(shares(busy(60, 20), [0, 0]), { id: ITEM, limitPerUser: 2 });
    expect(ofTwo.map(({ units }) => units)).toEqual([10]);
  });

  it('moves no more than fits into one go', () => {
    expect(moves([1_000_000, 0], [0, 0])).toEqual([[0, 1, 1000]]);
  });

  it('takes a last unit to where one was asked for in vain lately, first to where somebody asked last', () => {
    expect(moves([1, 0], wanted(0, 4000))).toEqual([[0, 1, 1]]);
    expect(moves([1, 0], wanted(0, 6000))).toEqual([]);
    expect(moves([1, 0], wanted(0, 900), wanted(0, 100))).toEqual([[0, 2, 1]]);
    expect(moves([1, 0], wanted(0, 100), [0, 1])).toEqual([[0, 2, 1]]);
  });

  it('takes a last unit from where nobody may still come for it', () => {
    expect(moves([1, 0, false], wanted(0, 100))).toEqual([]);
    expect(moves([1, 1], wanted(0, 100))).toEqual([]);
    expect(moves(wanted(1, 4000), wanted(0, 100))).toEqual([]);
    expect(moves(wanted(1, 6000), wanted(0, 100))).toEqual([[0, 1, 1]]);
  });

  it('takes a last unit to each shard that wants one, as far as they go', () => {
    expect(moves([1, 0], wanted(0, 100), wanted(1, 100), wanted(0, 200), [1, 0], wanted(0, 300))).toEqual([[0, 1, 1], [4, 3, 1]]);
  });

  const crowd = fc.array(fc.record({ free: fc.nat({ max: 4 }), shoppers: fc.nat({ max: 4 }) }), { minLength: 2, maxLength: 6 });

  it('sells every unit to those who ask again, wherever units and shoppers are, where there are as many of both', () => {
    fc.assert(fc.property(crowd, (plans) => {
      const missing = plans.reduce((sum, { free, shoppers }) => sum + shoppers - free, 0);
      let shards = plans.map(({ free, shoppers }, shard) => ({ free: free + (shard === 0 ? Math.max(0, missing) : 0), shoppers: shoppers + (shard === 0 ? Math.max(0, -missing) : 0), wantedMsAgo: 10_000 }));
      for (let round = 0; round < 100 && shards.some(({ shoppers }) => shoppers > 0); round += 1) shards = afterMoves(shards.map(askedAt));
      expect(shards.map(({ free, shoppers }) => [free, shoppers])).toEqual(shards.map(() => [0, 0]));
    }), { numRuns: 500 });
  });

  it('comes to rest when nobody asks any more: each asking in vain draws one unit at most', () => {
    const left = fc.array(fc.record({ free: fc.nat({ max: 1 }), wantedMsAgo: fc.nat({ max: 8000 }) }), { minLength: 2, maxLength: 6 });
    fc.assert(fc.property(left, (plans) => {
      let shards = plans.map((plan) => ({ ...plan, shoppers: 0 }));
      let made = 0;
      for (let round = 0; round < 10; round += 1) {
        made += nextMoves(linesOf(shards), item).length;
        shards = afterMoves(shards);
      }
      expect(made).toBeLessThanOrEqual(plans.filter(({ wantedMsAgo }) => wantedMsAgo < 5000).length);
      expect(nextMoves(linesOf(shards), item)).toEqual([]);
    }), { numRuns: 200 });
  });
});

interface Shard {
  free: number;
  shoppers: number;
  wantedMsAgo: number;
}

const linesOf = (shards: Shard[]): ShardLine[] => shares(...shards.map(({ free, wantedMsAgo }) => wanted(free, wantedMsAgo)));

/** Whoever waits at a shard asks once: for a unit that is there, or in vain. */
function askedAt({ free, shoppers, wantedMsAgo }: Shard): Shard {
  const sold = Math.min(free, shoppers);
  return { free: free - sold, shoppers: shoppers - sold, wantedMsAgo: shoppers > sold ? 0 : wantedMsAgo };
}

/** A second later, with what is moved in it. */
function afterMoves(shards: Shard[]): Shard[] {
  const after = moved(linesOf(shards), nextMoves(linesOf(shards), item));
  return shards.map((shard, index) => ({ ...shard, free: after[index]?.free.get(ITEM) ?? 0, wantedMsAgo: shard.wantedMsAgo + 1000 }));
}

type Basket = Record<string, number>;
interface Plan {
  free: Basket;
  waiting?: [joinedAtMs: number, basket: Basket][];
  isAtRest?: boolean;
}

const lines = (...plans: Plan[]): ShardLine[] =>
  plans.map(({ free, waiting = [], isAtRest = true }, shard) => ({
    shard: { saleId: '1', shard },
    free: new Map(Object.entries(free)),
    queued: 0,
    standby: waiting.length,
    isAtRest,
    wantedMsAgo: new Map(),
    tickets: waiting.map(([joinedAtMs, basket]) => ({ joinedAtMs, basket: Object.entries(basket) })),
  }));
/** Moves as `<item>: <units> from <shard> to <shard>`. */
const gathered = (...plans: Plan[]): string[] => gatheringMoves(lines(...plans)).map(({ itemId, from, to, units }) => `${itemId}: ${units} from ${from.shard} to ${to.shard}`);

describe('gatheringMoves', () => {
  it('brings the units of two lines together for whoever waits longest', () => {
    expect(gathered({ free: { 1: 1 }, waiting: [[20, { 1: 2 }]] }, { free: { 1: 1 }, waiting: [[10, { 1: 2 }]] })).toEqual(['1: 1 from 0 to 1']);
    expect(gathered({ free: { 1: 1 }, waiting: [[10, { 1: 2 }]] }, { free: { 1: 1 }, waiting: [[20, { 1: 2 }]] })).toEqual(['1: 1 from 1 to 0']);
  });

  it('brings a basket of several items together', () => {
    const waiting: Plan['waiting'] = [[10, { 1: 1, 2: 1 }]];
    expect(gathered({ free: { 1: 1, 2: 0 }, waiting }, { free: { 1: 0, 2: 1 }, waiting: [[20, { 1: 1, 2: 1 }]] })).toEqual(['2: 1 from 1 to 0']);
    expect(gathered({ free: { 1: 0, 2: 0 }, waiting }, { free: { 1: 2, 2: 0 } }, { free: { 1: 0, 2: 3 } })).toEqual(['1: 1 from 1 to 0', '2: 1 from 2 to 0']);
    expect(gathered({ free: { 1: 1, 2: 0 }, waiting }, { free: { 1: 5, 2: 0 } })).toEqual([]);
  });

  it('passes over whose basket all that is free cannot fill, and goes on with what is left', () => {
    expect(gathered({ free: { 1: 1 }, waiting: [[10, { 1: 4 }], [30, { 1: 2 }]] }, { free: { 1: 2 }, waiting: [[20, { 1: 3 }]] })).toEqual(['1: 1 from 0 to 1']);
    const many = { free: { 1: 2 }, waiting: [[10, { 1: 3 }], [20, { 1: 3 }]] } satisfies Plan;
    expect(gathered(many, { free: { 1: 4 } })).toEqual(['1: 4 from 1 to 0']);
  });

  it('takes from as many shards as it needs, the richest first', () => {
    expect(gathered({ free: { 1: 1 }, waiting: [[10, { 1: 5 }]] }, { free: { 1: 1 } }, { free: { 1: 3 } })).toEqual(['1: 3 from 2 to 0', '1: 1 from 1 to 0']);
  });

  it('takes nothing from a shard whose own people may still use it', () => {
    expect(gathered({ free: { 1: 1 }, waiting: [[10, { 1: 2 }]] }, { free: { 1: 1 }, isAtRest: false })).toEqual([]);
  });

  it('lets nobody overtake whose own line is just being served', () => {
    expect(gathered({ free: { 1: 1 }, waiting: [[10, { 1: 2 }]], isAtRest: false }, { free: { 1: 1 }, waiting: [[20, { 1: 2 }]] }, { free: { 1: 1 } })).toEqual([]);
  });

  it('keeps for whoever waits longer what their own shard can give them', () => {
    expect(gathered({ free: { 1: 1 }, waiting: [[10, { 1: 1 }]] }, { free: { 1: 1 }, waiting: [[20, { 1: 2 }]] })).toEqual([]);
  });

  it('moves nothing where nobody waits, or nothing is free', () => {
    expect(gathered({ free: { 1: 5 } }, { free: { 1: 0 } })).toEqual([]);
    expect(gathered({ free: { 1: 0 }, waiting: [[10, { 1: 1 }]] }, { free: { 1: 0 } })).toEqual([]);
    expect(gathered()).toEqual([]);
  });

  const quantity = fc.nat({ max: 3 });
  const basket = fc.record({ 1: quantity, 2: quantity }).filter((units) => units[1] + units[2] > 0).map((units): Basket => Object.fromEntries(Object.entries(units).filter(([, count]) => count > 0)));
  const plan = fc.record({ free: fc.record({ 1: quantity, 2: quantity }), waiting: fc.array(fc.tuple(fc.nat({ max: 1000 }), basket), { maxLength: 5 }) });

  it('comes to an end, with nothing left that would fill a basket, whatever stands by', () => {
    fc.assert(fc.property(fc.array(plan, { minLength: 1, maxLength: 4 }), (plans) => {
      const sorted = plans.map((each) => ({ ...each, waiting: [...each.waiting].sort(([a], [b]) => a - b) }));
      let state = serve(lines(...sorted));
      const tickets = (): number => state.reduce((sum, line) => sum + line.tickets.length, 0);
      for (let moves = gatheringMoves(state); moves.length > 0; moves = gatheringMoves(state)) {
        const before = tickets();
        state = serve(moved(state, moves));
        expect(tickets()).toBeLessThan(before);
      }
      const total = (itemId: string): number => state.reduce((sum, line) => sum + (line.free.get(itemId) ?? 0), 0);
      const fillable = state.flatMap((line) => line.tickets).filter((ticket) => ticket.basket.every(([itemId, units]) => total(itemId) >= units));
      expect(fillable).toEqual([]);
    }), { numRuns: 500 });
  });
});

function moved(state: ShardLine[], moves: Move[]): ShardLine[] {
  return state.map((line) => {
    const free = new Map(line.free);
    for (const { itemId, from, to, units } of moves) {
      if (from.shard === line.shard.shard) free.set(itemId, (free.get(itemId) ?? 0) - units);
      if (to.shard === line.shard.shard) free.set(itemId, (free.get(itemId) ?? 0) + units);
    }
    expect(Math.min(...free.values())).toBeGreaterThanOrEqual(0);
    return { ...line, free };
  });
}

/** As the claim does: each line in its order is given what its shard has. */
function serve(state: ShardLine[]): ShardLine[] {
  return state.map((line) => {
    const free = new Map(line.free);
    const tickets = line.tickets.filter(({ basket }) => {
      const isFilled = basket.every(([itemId, units]) => (free.get(itemId) ?? 0) >= units);
      for (const [itemId, units] of isFilled ? basket : []) free.set(itemId, (free.get(itemId) ?? 0) - units);
      return !isFilled;
    });
    return { ...line, free, tickets, standby: tickets.length };
  });
}
