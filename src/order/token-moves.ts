import type { SaleShard } from '../goods/index.js';
import type { ShardLine } from '../seckill/index.js';

/** Units moved in one go. */
const MOST = 1000;

/** Units of an item that are to go from one shard to another. */
export interface Move {
  itemId: string;
  from: SaleShard;
  to: SaleShard;
  units: number;
}

/**
 * Which units of an item should move, if any: to the dry shard on which most stand by, from the richest one. A last unit only moves to where
 * somebody stands by, and from where nobody does; otherwise half of what the rich one has. What is just being offered to a line stays there.
 */
export function nextMove(lines: ShardLine[], itemId: string): Move | undefined {
  const shares = lines.map(({ shard, free, standby, isAtRest }) => ({ shard, free: free.get(itemId) ?? 0, standby, isOffered: standby > 0 && !isAtRest }));
  const dry = shares.filter(({ free }) => free === 0).sort((a, b) => b.standby - a.standby)[0];
  const rich = shares.filter(({ free, isOffered }) => free > 0 && !isOffered).sort((a, b) => b.free - a.free || a.standby - b.standby)[0];
  if (!dry || !rich) return undefined;
  if (rich.free > 1) return { itemId, from: rich.shard, to: dry.shard, units: Math.min(MOST, Math.floor(rich.free / 2)) };
  const idle = shares.find(({ free, standby }) => free === 1 && standby === 0);
  return dry.standby > 0 && idle ? { itemId, from: idle.shard, to: dry.shard, units: 1 } : undefined;
}

/**
 * Brings together what no shard can use by itself: for whoever stands by longest and whose whole basket the free units of all shards can
 * fill, the units that are missing there; then for the next, with what is left. Takes only from shards at rest, where nobody can use them.
 *
 * Units do not wander for it: each move fills the basket of a ticket, and nobody before it in its own line can use its units, as not even
 * all that is free would have been enough for them. So each round ends with a ticket served, or gone.
 */
export function gatheringMoves(lines: ShardLine[]): Move[] {
  const left = new Map(lines.map((line) => [line, new Map(line.free)]));
  const waiting = lines.flatMap((line) => line.tickets.map((ticket) => ({ ...ticket, line })));
  const moves: Move[] = [];
  for (const { line, basket } of waiting.sort((a, b) => a.joinedAtMs - b.joinedAtMs)) {
    const found = movesFor(basket, line, left);
    if (!found) continue;
    // Its own line may be about to serve it. Whoever came later does not overtake it meanwhile.
    if (!line.isAtRest) break;
    for (const [itemId, quantity] of basket) addTo(left.get(line), itemId, -quantity);
    for (const { itemId, units, giver } of found) {
      addTo(left.get(line), itemId, units);
      addTo(left.get(giver), itemId, -units);
      moves.push({ itemId, units, from: giver.shard, to: line.shard });
    }
    if (moves.reduce((sum, { units }) => sum + units, 0) >= MOST) break;
  }
  return joined(moves);
}

interface Gift {
  itemId: string;
  units: number;
  giver: ShardLine;
}

/** What other shards must give so that the basket can be filled on its own; undefined where they do not have it. */
function movesFor(basket: [itemId: string, quantity: number][], line: ShardLine, left: Map<ShardLine, Map<string, number>>): Gift[] | undefined {
  const gifts: Gift[] = [];
  for (const [itemId, quantity] of basket) {
    let missing = quantity - (left.get(line)?.get(itemId) ?? 0);
    const givers = [...left].filter(([other]) => other !== line && other.isAtRest).map(([giver, free]) => ({ giver, free: free.get(itemId) ?? 0 }));
    for (const { giver, free } of givers.sort((a, b) => b.free - a.free)) {
      const units = Math.min(missing, free);
      if (units > 0) gifts.push({ itemId, units, giver });
      missing -= Math.max(0, units);
    }
    if (missing > 0) return undefined;
  }
  return gifts;
}

function addTo(free: Map<string, number> | undefined, itemId: string, units: number): void {
  free?.set(itemId, (free.get(itemId) ?? 0) + units);
}

/** Units that go the same way go together. */
function joined(moves: Move[]): Move[] {
  const ways = new Map<string, Move>();
  for (const move of moves) {
    const way = `${move.itemId}:${move.from.shard}:${move.to.shard}`;
    ways.set(way, { ...move, units: move.units + (ways.get(way)?.units ?? 0) });
  }
  return [...ways.values()];
}
