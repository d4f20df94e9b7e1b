import { carryOver, type FrozenTickets } from './carry-over.js';
import type { SaleShard } from './sale-keys.js';
import { freeSerials, onShard, type SaleSnapshot } from './sale-snapshot.js';
import type { ShardBuild, ShardPolicy } from './sale.scripts.js';
import type { ClaimRecord } from './ticket.codec.js';
import { isLive, type TicketRecord } from './ticket.js';

/**
 * Works out what a shard's state must be: tokens, units and orders from MySQL, places in line from the frozen state.
 * Serials that reserved tickets get here are marked as taken in the snapshot.
 */
export function buildShard(shard: SaleShard, epoch: string, policy: ShardPolicy, snapshot: SaleSnapshot, frozen: FrozenTickets): ShardBuild {
  const { tickets, waiting } = carryOver(frozen, {
    newest: new Map(onShard(snapshot.tickets, shard.shard, policy.shards)),
    ticketIds: snapshot.orderedTickets,
  });
  const units = new Map(onShard(snapshot.units, shard.shard, policy.shards));
  const claims = reserveAgain(waiting, shard, policy, snapshot, units);
  for (const [userId, ticket] of waiting) {
    if (ticket.status === 'reserved' && !claims.has(ticket.ticketId)) tickets.set(userId, { ...ticket, status: 'queued' });
  }
  return {
    epoch,
    policy,
    returnsBase: snapshot.returnsBase,
    tokens: new Map([...snapshot.taken].map(([itemId, taken]) => [itemId, freeSerials(taken, shard.shard, policy.shards)])),
    tickets,
    liveTickets: [...tickets].filter(([, ticket]) => isLive(ticket)).map(([userId]): [string, number] => [userId, 1]),
    units,
    waiting: waiting.map(([userId, { seq }]) => ({ userId, seq })),
    claims,
  };
}

/** Tickets that were told `reserved` get tokens again before anyone else does, in their order. */
function reserveAgain(
  waiting: [userId: string, ticket: TicketRecord][],
  shard: SaleShard,
  policy: ShardPolicy,
  { taken }: SaleSnapshot,
  units: Map<string, number>,
): Map<string, ClaimRecord> {
  const claims = new Map<string, ClaimRecord>();
  const next = new Map<string, number>();
  for (const [userId, { ticketId, status, seq, joinedAtMs = 0, items = [] }] of waiting) {
    if (status !== 'reserved') continue;
    const lines = items.map(([itemId, quantity]) => [itemId, quantity, takeFree(taken.get(itemId), quantity, shard.shard, policy.shards, next, itemId)] as const);
    // Too few are left, though they were promised: the ticket waits at its place for units that come back.
    if (lines.some(([, quantity, serials]) => serials.length < quantity)) {
      for (const [itemId, , serials] of lines) for (const serial of serials) unmark(taken.get(itemId), serial, next, itemId);
      continue;
    }
    for (const [itemId, quantity] of lines) units.set(`${userId}:${itemId}`, (units.get(`${userId}:${itemId}`) ?? 0) + quantity);
    claims.set(ticketId, { ticketId, userId, seq, joinedAtMs, items: lines.map(([itemId, quantity, serials]) => [itemId, quantity, serials.map(String)]) });
  }
  return claims;
}

function takeFree(taken: Uint8Array | undefined, quantity: number, shard: number, shards: number, next: Map<string, number>, itemId: string): number[] {
  const serials: number[] = [];
  if (!taken) return serials;
  let serial = next.get(itemId) ?? shard + 1;
  for (; serial < taken.length && serials.length < quantity; serial += shards) {
    if (taken[serial] !== 0) continue;
    taken[serial] = 1;
    serials.push(serial);
  }
  next.set(itemId, serial);
  return serials;
}

function unmark(taken: Uint8Array | undefined, serial: number, next: Map<string, number>, itemId: string): void {
  if (taken) taken[serial] = 0;
  next.set(itemId, Math.min(serial, next.get(itemId) ?? serial));
}
