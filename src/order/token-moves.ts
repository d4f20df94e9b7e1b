import type { SaleShard } from '../goods/index.js';
import type { ShardLine } from '../seckill/index.js';

/** Units moved in one go. */
const MOST = 1000;
/**
 * So long a unit that was asked for in vain counts as wanted. Longer than a sold-out flag of a process stands (two seconds), behind which no
 * asking is seen, and a round of the sweep, so that it counts without a gap while somebody keeps asking.
 */
const WANTED_MS = 5000;

/** Units of an item that are to go from one shard to another. */
export interface Move {
  itemId: string;
  from: SaleShard;
  to: SaleShard;
  units: number;
}

interface Share {
  shard: SaleShard;
  free: number;
  /** Free units that are left when everybody in the queue has taken as many as a shopper may. */
  spare: number;
  standby: number;
  /** Free, and just being offered to the line there. */
  isOffered: boolean;
  /** Without a queue, and not asked in vain so lately that whoever did may still come back for it. */
  isUnwanted: boolean;
  /** How long ago a unit was last asked for in vain, up to `WANTED_MS`: from then on it does not count. */
  wantedMsAgo: number;
}

/**
 * Which units of an item should move, if any: to the dry shard on which most stand by, or else a unit was asked for last, from the one
 * that can spare most. Half of that; what the queue there may take, or is just being offered to a line, stays. Where no shard can spare
 * more than one, last units move.
 */
export function nextMoves(lines: ShardLine[], item: { id: string; limitPerUser: number }): Move[] {
  const itemId = item.id;
  const shares = lines.map((line) => shareOf(line, item));
  const dry = shares.filter(({ free }) => free === 0).sort((a, b) => b.standby - a.standby || a.wantedMsAgo - b.wantedMsAgo);
  const [rich] = shares.filter(({ spare, isOffered }) => spare > 0 && !isOffered).sort((a, b) => b.spare - a.spare || a.standby - b.standby);
  const [driest] = dry;
  if (!driest || !rich) return [];
  if (rich.spare > 1) return [{ itemId, from: rich.shard, to: driest.shard, units: Math.min(MOST, Math.floor(rich.spare / 2)) }];
  return lastUnits(dry, shares).map(([from, to]) => ({ itemId, from: from.shard, to: to.shard, units: 1 }));
}

function shareOf({ shard, free: lists, queued, standby, isAtRest, wantedMsAgo: wanted }: ShardLine, { id, limitPerUser }: { id: string; limitPerUser: number }): Share {
  const wantedMsAgo = Math.min(WANTED_MS, wanted.get(id) ?? WANTED_MS);
  const free = lists.get(id) ?? 0;
  return { shard, free, spare: Math.max(0, free - queued * limitPerUser), standby, isOffered: standby > 0 && !isAtRest, isUnwanted: isAtRest && wantedMsAgo === WANTED_MS, wantedMsAgo };
}

/**
 * A last unit moves from where nobody stands by to where somebody does, or asked for one in vain lately. In the second case it also leaves
 * only where it is unwanted. So it does not wander: it stays where it came to until the asking that drew it is too old to draw another one.
 */
function lastUnits(dry: Share[], shares: Share[]): [from: Share, to: Share][] {
  const idle = new Set(shares.filter(({ spare, standby }) => spare === 1 && standby === 0));
  const pairs: [Share, Share][] = [];
  for (const to of dry) {
    if (to.standby === 0 && to.wantedMsAgo === WANTED_MS) continue;
    const from = [...idle].find(({ isUnwanted }) => to.standby > 0 || isUnwanted);
    if (!from) continue;
    idle.delete(from);
    pairs.push([from, to]);
  }
  return pairs;
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
