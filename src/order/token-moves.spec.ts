import fc from 'fast-check';
import type { ShardLine } from '../seckill/index.js';
import { gatheringMoves, nextMove, type Move } from './token-moves.js';

const ITEM = '1';

/** Shards in their order, each as [free units, tickets on standby], none of which is being offered anything. */
const shares = (...entries: [free: number, standby: number, isAtRest?: boolean][]): ShardLine[] =>
  entries.map(([free, standby, isAtRest = true], shard) => ({ shard: { saleId: '1', shard }, free: new Map([[ITEM, free]]), standby, isAtRest, tickets: [] }));
const move = (...entries: [free: number, standby: number, isAtRest?: boolean][]): [from: number, to: number, units: number] | undefined => {
  const next = nextMove(shares(...entries), ITEM);
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

  it('leaves where it is what is just being offered to a line', () => {
    expect(move([3, 9, false], [0, 0])).toBeUndefined();
    expect(move([5, 9, false], [3, 0], [0, 0])).toEqual([1, 2, 1]);
    expect(move([3, 0, false], [0, 0])).toEqual([0, 1, 1]);
  });

  it('moves no more than fits into one go', () => {
    expect(move([1_000_000, 0], [0, 0])).toEqual([0, 1, 1000]);
  });
});

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
    standby: waiting.length,
    isAtRest,
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
