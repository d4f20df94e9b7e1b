import { Injectable } from '@nestjs/common';
import { type ClaimedTicket, parseClaim, saleKeys, type SaleShard, shardName, STOCK_CHANNEL } from '../goods/index.js';
import { digestOf } from '../infra/http/index.js';
import { asInteger, asList, asText, RedisConnections, Script, type ScriptReply } from '../infra/redis/index.js';

const script = (name: string): Script => new Script(`seckill${name}`, new URL(`./scripts/${name.toLowerCase()}.lua`, import.meta.url));
const [join, leave, claim, settle, release, finish, yieldLease, check] = ['Join', 'Leave', 'Claim', 'Settle', 'Release', 'Finish', 'Yield', 'Check'].map(script) as [
  Script, Script, Script, Script, Script, Script, Script, Script,
];

/** One line of a basket: a sale item and how many units of it. */
export interface BasketLine {
  itemId: string;
  quantity: number;
}

export interface JoinCall {
  ticketId: string;
  userId: string;
  basket: BasketLine[];
  /** The client's key for this very join, by which a repeat is known also when its ticket has another id. */
  idempotencyKey?: string | undefined;
}

export type JoinOutcome =
  /** `ticketId` is that of an earlier call where the idempotency key says that this is a repeat. */
  | { outcome: 'queued' | 'reserved'; ticketId: string; position: number; wake: boolean; ratePerSecond: number }
  | { outcome: 'key_reused' | 'not_loaded' | 'ended' | 'paused' | 'already_queued' | 'unpaid_order' }
  | { outcome: 'not_started'; startsAtMs: number }
  | { outcome: 'item_not_found' | 'invalid_basket'; itemId: string }
  | { outcome: 'limit_reached'; itemId: string; limit: number }
  | { outcome: 'sold_out'; itemId: string; left: number };

export type LeaveOutcome = { outcome: 'left' | 'no_ticket' | 'not_loaded' } | { outcome: 'claimed'; status: string };

export interface ClaimCall {
  drainId: string;
  leaseMs: number;
  maxTickets: number;
  /** How many tickets the drain has in hand itself and is still deciding; without them, what is in hand is handed out first. */
  inHand?: number;
  itemIds: string[];
}

export type ClaimOutcome =
  /** `soldOut`, `standby` and `rejected`: how many tickets ended so, or stand by from now on. */
  | { outcome: 'claimed'; epoch: string; soldOut: number; standby: number; rejected: number; tickets: ClaimedTicket[]; again: boolean }
  | { outcome: 'empty' | 'stopped' | 'busy' | 'not_loaded' };

export type Settlement =
  | { ticketId: string; outcome: 'ordered'; orderId: string; amountMinor: number; currency: string; payBeforeMs: number }
  | { ticketId: string; outcome: 'rejected'; reason: string; drop: HeldElsewhere[] }
  | { ticketId: string; outcome: 'requeued'; drop: HeldElsewhere[] };

/** A token that must not return to stock, because MySQL knows it in another place. */
export interface HeldElsewhere {
  itemId: string;
  serial: number;
}

export interface SettleCall {
  /** Epoch of the claim. */
  epoch: string;
  drainId: string;
  itemIds: string[];
  settlements: Settlement[];
}

/** `stale`: the state was built anew since the claim. `not_ours`: the drain lost its lease: whoever took the tickets over settles them. */
export type SettleOutcome = 'settled' | 'stale' | 'not_ours';

export interface ReleaseCall {
  epoch: string;
  /** Id of the row of the token_returns outbox. */
  returnId: string;
  itemId: string;
  serial: number;
  /** Who held the unit; null for new stock. */
  userId: string | null;
}

export interface FinishCall {
  epoch: string;
  userId: string;
  ticketId: string;
  status: 'paid' | 'expired' | 'cancelled';
  reason: string | null;
  orderId: string;
  amountMinor: number;
  currency: string;
}

/**
 * The one typed front of the scripts around a shard's queue. Keys are built and replies read here; nobody else sees either.
 * Shoppers' calls go over the request connection, which refuses at once while Redis is away; the drain's over the work connection.
 * All of them throw what the client library throws when Redis can't be asked.
 */
@Injectable()
export class SeckillScripts {
  constructor(private readonly redis: RedisConnections) {}

  /** Judges a join and, when nothing speaks against it, puts the ticket into the queue. A repeat with the same ticket id counts once. */
  async join(shard: SaleShard, call: JoinCall): Promise<JoinOutcome> {
    const keys = [saleKeys.sale(shard), saleKeys.status(shard), saleKeys.count(shard), saleKeys.units(shard), saleKeys.queue(shard), saleKeys.claimed(shard)];
    const stocks = call.basket.map((line) => saleKeys.stock(shard, line.itemId));
    const lines = call.basket.flatMap((line) => [line.itemId, line.quantity]);
    const { idempotencyKey } = call;
    const answer = idempotencyKey === undefined ? [] : [saleKeys.answer(shard, call.userId, digestOf(idempotencyKey))];
    const basketDigest = idempotencyKey === undefined ? '' : digestOf(lines);
    const args = [call.ticketId, call.userId, STOCK_CHANNEL, shardName(shard), await this.redis.runIdOf('request'), basketDigest, ...lines];
    return readJoin(asList(await join.run(this.redis.request, [...keys, ...stocks, ...answer], args)));
  }

  /** Takes a shopper out of the queue or the standby line, unless the ticket was claimed. */
  async leave(shard: SaleShard, userId: string): Promise<LeaveOutcome> {
    const keys = [saleKeys.sale(shard), saleKeys.status(shard), saleKeys.count(shard), saleKeys.standby(shard)];
    const reply = asList(await leave.run(this.redis.request, keys, [userId, shardName(shard)]));
    const name = asText(reply[0]);
    if (name === 'CLAIMED') return { outcome: 'claimed', status: asText(reply[1]) };
    return { outcome: name === 'LEFT' ? 'left' : name === 'NO_TICKET' ? 'no_ticket' : 'not_loaded' };
  }

  /** Claims the next batch of tickets with their tokens, or what an earlier drain left unsettled. */
  async claim(shard: SaleShard, call: ClaimCall): Promise<ClaimOutcome> {
    const args = [call.drainId, call.leaseMs, call.maxTickets, STOCK_CHANNEL, shardName(shard), await this.redis.runIdOf('work'), call.inHand ?? 0, ...call.itemIds];
    const reply = asList(await claim.run(this.redis.work, drainKeys(shard, call.itemIds), args));
    const name = asText(reply[0]);
    if (name === 'CLAIMED') {
      const tickets = asList(reply[3]).filter((entry) => entry !== null).map((entry) => parseClaim(asText(entry)));
      return {
        outcome: 'claimed', epoch: asText(reply[1]), tickets, again: asInteger(reply[4]) === 1,
        soldOut: asInteger(reply[2]), standby: asInteger(reply[5]), rejected: asInteger(reply[6]),
      };
    }
    return { outcome: lower(name, ['empty', 'stopped', 'busy', 'not_loaded']) };
  }

  /** Writes the outcomes of claimed tickets back. */
  async settle(shard: SaleShard, { epoch, drainId, itemIds, settlements }: SettleCall): Promise<SettleOutcome> {
    const args = [epoch, drainId, STOCK_CHANNEL, shardName(shard), JSON.stringify(settlements.map(settlementValues)), ...itemIds];
    const reply = asList(await settle.run(this.redis.work, drainKeys(shard, itemIds), args));
    return lower(asText(reply[0]), ['settled', 'stale', 'not_ours']);
  }

  /** Puts one released token back into stock; each outbox row counts once. `wake`: somebody stands by for it, so the drain has to be signalled. */
  async release(shard: SaleShard, call: ReleaseCall): Promise<{ outcome: 'released' | 'repeated' | 'stale'; wake: boolean }> {
    const keys = [saleKeys.sale(shard), saleKeys.units(shard), saleKeys.returned(shard), saleKeys.stock(shard, call.itemId)];
    const args = [call.epoch, call.returnId, call.itemId, call.serial, call.userId ?? '', STOCK_CHANNEL, shardName(shard)];
    const reply = asList(await release.run(this.redis.work, keys, args));
    return { outcome: lower(asText(reply[0]), ['released', 'repeated', 'stale']), wake: reply[1] === 1 };
  }

  /** Writes to a ticket what became of its order. */
  async finish(shard: SaleShard, call: FinishCall): Promise<'finished' | 'other_ticket' | 'stale'> {
    const keys = [saleKeys.sale(shard), saleKeys.status(shard), saleKeys.count(shard)];
    const args = [call.epoch, call.userId, call.ticketId, call.status, call.reason ?? '', call.orderId, call.amountMinor, call.currency, shardName(shard)];
    return lower(asText(asList(await finish.run(this.redis.work, keys, args))[0]), ['finished', 'other_ticket', 'stale']);
  }

  /** Gives up a drain's lease on a shard, so that another drain can go on at once. */
  async yieldLease(shard: SaleShard, drainId: string): Promise<void> {
    await yieldLease.run(this.redis.work, [saleKeys.sale(shard)], [drainId]);
  }

  /**
   * Looks whether a shard needs a drain (`forgotten`: a wake-up was lost), and freezes one whose keys no longer fit together, so that
   * it is built anew.
   */
  async check(shard: SaleShard): Promise<{ outcome: 'at_rest' | 'forgotten' | 'not_loaded' } | { outcome: 'frozen'; missing: string }> {
    const { sale, goods, queue, status, count, claimed, working, standby } = saleKeys;
    const reply = asList(await check.run(this.redis.work, [sale, goods, queue, status, count, claimed, working, standby].map((key) => key(shard)), []));
    const outcome = lower(asText(reply[0]), ['at_rest', 'forgotten', 'not_loaded', 'frozen']);
    return outcome === 'frozen' ? { outcome, missing: asText(reply[1]) } : { outcome };
  }
}

function drainKeys(shard: SaleShard, itemIds: string[]): string[] {
  const { sale, queue, status, count, units, claimed, working, standby } = saleKeys;
  return [...[sale, queue, status, count, units, claimed, working, standby].map((key) => key(shard)), ...itemIds.map((itemId) => saleKeys.stock(shard, itemId))];
}

function settlementValues(settlement: Settlement): (string | number)[] {
  if (settlement.outcome === 'ordered') {
    const { ticketId, orderId, amountMinor, currency, payBeforeMs } = settlement;
    return [ticketId, 'ordered', '', '', orderId, String(amountMinor), currency, payBeforeMs];
  }
  const reason = settlement.outcome === 'rejected' ? settlement.reason : '';
  return [settlement.ticketId, settlement.outcome, reason, settlement.drop.map(({ itemId, serial }) => `${itemId}:${serial}`).join(',')];
}

function readJoin(reply: ScriptReply[]): JoinOutcome {
  const name = asText(reply[0]);
  switch (name) {
    case 'QUEUED':
    case 'RESERVED':
      return {
        outcome: name === 'QUEUED' ? 'queued' : 'reserved',
        position: asInteger(reply[1]),
        wake: asInteger(reply[2]) === 1,
        ratePerSecond: Number(asText(reply[3])),
        ticketId: asText(reply[4]),
      };
    case 'NOT_STARTED':
      return { outcome: 'not_started', startsAtMs: asInteger(reply[1]) };
    case 'ITEM_NOT_FOUND':
    case 'INVALID_BASKET':
      return { outcome: lower(name, ['item_not_found', 'invalid_basket']), itemId: asText(reply[1]) };
    case 'LIMIT_REACHED':
      return { outcome: 'limit_reached', itemId: asText(reply[1]), limit: asInteger(reply[2]) };
    case 'SOLD_OUT':
      return { outcome: 'sold_out', itemId: asText(reply[1]), left: asInteger(reply[2]) };
    default:
      return { outcome: lower(name, ['key_reused', 'not_loaded', 'ended', 'paused', 'already_queued', 'unpaid_order']) };
  }
}

function lower<const T extends string>(name: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === name.toLowerCase());
  if (found === undefined) throw new TypeError(`the script answered ${name}`);
  return found;
}
