import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { asInteger, asList, asText, RedisConnections, Script } from '../infra/redis/index.js';
import { saleKeys, STOCK_CHANNEL, type SaleShard } from './sale-keys.js';
import type { FrozenTickets } from './carry-over.js';
import { formatTicket, parseTicket, type ClaimRecord } from './ticket.codec.js';
import type { TicketRecord } from './ticket.js';

const load = new Script('seckillLoad', new URL('./scripts/load.lua', import.meta.url));
const freeze = new Script('seckillFreeze', new URL('./scripts/freeze.lua', import.meta.url));
const stage = new Script('seckillStage', new URL('./scripts/stage.lua', import.meta.url));
const steer = new Script('seckillSteer', new URL('./scripts/steer.lua', import.meta.url));

/** Entries sent in one command while a build is prepared: small enough never to hold Redis up, and for Lua's stack. */
const CHUNK = 2500;
/** Entries read in one command, so that a long line never holds Redis up. */
const SCAN = 5000;
/** An abandoned preparation vanishes by itself. */
const STAGING_TTL_SECONDS = 600;

/** What the operator decided about a sale, as the shard's `sale` hash holds it. */
export interface ShardPolicy {
  state: 'open' | 'paused' | 'ended';
  startsAtMs: number;
  endsAtMs: number;
  mode: 'queue' | 'instant';
  /** When the shard's keys go: `endsAt` plus retention, epoch milliseconds. */
  expireAtMs: number;
  shards: number;
  /** How many tickets of the whole sale may stand by. */
  standbyLimit: number;
  /** Whether the line is served while the sale is paused. */
  claims: 'go_on' | 'stopped';
  /** Of a shadow sale only. */
  rehearsalId?: string;
  items: { itemId: string; limitPerUser: number; json: string }[];
}

/** Everything that a build puts into a shard. */
export interface ShardBuild {
  epoch: string;
  policy: ShardPolicy;
  /** Rows of the token_returns outbox with a smaller id are part of the build already. */
  returnsBase: number;
  /** Free serials per item, each once, in the order in which they are to be sold. */
  tokens: Map<string, Iterable<number>>;
  /** Each user once, as in the other two. */
  tickets: Iterable<[userId: string, ticket: TicketRecord]>;
  liveTickets: Iterable<[userId: string, count: number]>;
  units: Iterable<[userAndItem: string, units: number]>;
  /** Who waits already, the first first. */
  waiting: { seq: number; userId: string }[];
  /** Tokens that waiting tickets hold already: claims by ticket id. */
  claims: Iterable<[ticketId: string, claim: ClaimRecord]>;
}

export type LoadOutcome = { outcome: 'loaded'; tokens: number } | { outcome: 'standing'; epoch: string };

/** Typed front of the scripts that build and steer a sale's Redis state. */
@Injectable()
export class SaleScripts {
  constructor(private readonly redis: RedisConnections) {}

  /**
   * The epoch of the state that stands in a shard, or null when none does, or when the server has restarted (or another took over) since
   * it was built: such a state may have fallen back behind what MySQL knows.
   */
  async epochOf(shard: SaleShard): Promise<string | null> {
    const [[epoch, runId], current] = await Promise.all([this.redis.work.hmget(saleKeys.sale(shard), 'epoch', 'runId'), this.redis.runIdOf('work')]);
    return epoch && runId === current ? epoch : null;
  }

  /**
   * Stops a shard whose state the build of `epoch` is to replace, and reads what only Redis knows of it; `newer` when a later build
   * has replaced it already. `why` says what another script stopped it for before, if one did.
   */
  async freeze(shard: SaleShard, epoch: string): Promise<{ outcome: 'frozen'; why: string; tickets: FrozenTickets } | { outcome: 'newer' }> {
    const reply = asList(await freeze.run(this.redis.work, [saleKeys.sale(shard)], [epoch]));
    if (asText(reply[0]) === 'NEWER') return { outcome: 'newer' };
    const tickets = new Map<string, TicketRecord>();
    for await (const [userId, json] of this.scan(saleKeys.status(shard))) tickets.set(userId, parseTicket(json));
    return { outcome: 'frozen', why: asText(reply[1]), tickets };
  }

  /** The operator's decisions as the shard has them (`policyKey`), to see whether they follow MySQL; null when nothing is loaded. */
  async steeringOf(shard: SaleShard): Promise<{ epoch: string; policy: string } | null> {
    const [epoch, policy] = await this.redis.work.hmget(saleKeys.sale(shard), 'epoch', 'policy');
    return epoch ? { epoch, policy: policy ?? '' } : null;
  }

  /**
   * Prepares the build under staging keys, chunk by chunk, and then puts it in place in one atomic step.
   * @throws Error when Redis lost a part of the preparation meanwhile; what stood before still stands
   */
  async load(shard: SaleShard, build: ShardBuild): Promise<LoadOutcome> {
    const { policy, epoch } = build;
    const stocks = policy.items.map(({ itemId }) => saleKeys.stock(shard, itemId));
    const built = [saleKeys.queue, saleKeys.claimed, saleKeys.status, saleKeys.count, saleKeys.units].map((key) => key(shard));
    const [queue = '', claimed = '', status = '', count = '', units = ''] = built;
    const buildId = `${epoch}:${randomUUID()}`;
    const staging = (key: string): string => saleKeys.staging(key, buildId);
    const sizes = [
      await this.stage(staging(queue), 'list', build.waiting, ({ seq, userId }) => [`${seq} ${userId}`]),
      await this.stage(staging(claimed), 'hash', build.claims, ([ticketId, claim]) => [ticketId, JSON.stringify(claim)]),
      await this.stage(staging(status), 'hash', build.tickets, ([userId, ticket]) => [userId, formatTicket(ticket)]),
      await this.stage(staging(count), 'hash', build.liveTickets, (entry) => entry),
      await this.stage(staging(units), 'hash', build.units, (entry) => entry),
    ];
    for (const { itemId } of policy.items) {
      sizes.push(await this.stage(staging(saleKeys.stock(shard, itemId)), 'list', build.tokens.get(itemId) ?? [], (serial) => [serial]));
    }
    const counters = { epoch, runId: await this.redis.runIdOf('work'), seq: build.waiting.length, served: 0, returnsBase: build.returnsBase };
    // Who waits may have joined under another limit.
    const judged: Record<string, number> = build.waiting.length > 0 ? { limitsFell: 1 } : {};
    // A small hash is searched from its beginning: what every join reads stands there.
    const fields = [...asFields({ ...counters, ...judged }), ...policyFields(policy, shard)];
    const others = [saleKeys.sale, saleKeys.goods, saleKeys.working, saleKeys.returned, saleKeys.withdrawing, saleKeys.standby].map((key) => key(shard));
    const reply = asList(
      await load.run(
        this.redis.work,
        [...others, ...built, ...stocks, ...[...built, ...stocks].map(staging)],
        [epoch, policy.expireAtMs, stocks.length, STOCK_CHANNEL, shardName(shard), fields.length / 2, ...fields, ...itemFields(policy), ...sizes],
      ),
    );
    if (asText(reply[0]) === 'INCOMPLETE') throw preparationLost();
    return asText(reply[0]) === 'LOADED'
      ? { outcome: 'loaded', tokens: asInteger(reply[1]) }
      : { outcome: 'standing', epoch: asText(reply[1]) };
  }

  /** Brings state, window and texts into a loaded shard of that epoch; `not_loaded` when there is none. */
  async steer(shard: SaleShard, epoch: string, policy: ShardPolicy): Promise<'steered' | 'not_loaded'> {
    const fields = policyFields(policy, shard);
    const others = [saleKeys.standby, saleKeys.queue, saleKeys.count, saleKeys.units, saleKeys.status, saleKeys.claimed, saleKeys.working, saleKeys.returned, saleKeys.withdrawing];
    const keys = [saleKeys.sale(shard), saleKeys.goods(shard), ...others.map((key) => key(shard))];
    const stocks = policy.items.map(({ itemId }) => saleKeys.stock(shard, itemId));
    const args = [epoch, policy.expireAtMs, fields.length / 2, ...fields, ...itemFields(policy)];
    const reply = asList(await steer.run(this.redis.work, [...keys, ...stocks], args));
    return asText(reply[0]) === 'STEERED' ? 'steered' : 'not_loaded';
  }

  private async *scan(key: string): AsyncGenerator<[field: string, value: string]> {
    let cursor = '0';
    do {
      const [next, flat] = await this.redis.work.hscan(key, cursor, 'COUNT', SCAN);
      for (let i = 0; i + 1 < flat.length; i += 2) yield [flat[i] ?? '', flat[i + 1] ?? ''];
      cursor = next;
    } while (cursor !== '0');
  }

  /** Fills one staging key and answers how many entries it has. */
  private async stage<T>(key: string, kind: 'list' | 'hash', entries: Iterable<T>, encode: (entry: T) => (string | number)[]): Promise<number> {
    let size = 0;
    for (const chunk of chunks(entries, CHUNK)) {
      const reply = asList(await stage.run(this.redis.work, [key], [kind, size, STAGING_TTL_SECONDS, chunk.length, ...chunk.flatMap(encode)]));
      if (asText(reply[0]) === 'LOST') throw preparationLost();
      size += chunk.length;
    }
    return size;
  }
}

/** `<saleId>:<shard>`, as messages and jobs name a shard. */
export const shardName = ({ saleId, shard }: SaleShard): string => `${saleId}:${shard}`;

/** What an operator may change while a sale is loaded, in one comparable text, as `steeringOf` gives it. */
export function policyKey({ state, claims, startsAtMs, endsAtMs, items }: ShardPolicy): string {
  return [state, claims, startsAtMs, endsAtMs, ...items.map(({ itemId, limitPerUser }) => `${itemId}=${limitPerUser}`)].join(':');
}

const preparationLost = (): Error => new Error('Redis lost a part of the prepared state; it has to be built again');

const asFields = (values: Record<string, string | number>): string[] => Object.entries(values).flatMap(([name, value]) => [name, String(value)]);

function policyFields(policy: ShardPolicy, { shard }: SaleShard): string[] {
  const { state, claims, startsAtMs, endsAtMs, mode, expireAtMs, shards } = policy;
  const standbyLimit = Math.ceil((policy.standbyLimit - shard) / shards);
  const limits = policy.items.flatMap((item) => [`limit:${item.itemId}`, String(item.limitPerUser)]);
  const shadow = policy.rehearsalId === undefined ? [] : ['rehearsalId', policy.rehearsalId];
  return [...asFields({ state, claims, startsAtMs, endsAtMs, mode, expireAtMs, shards, standbyLimit, policy: policyKey(policy) }), ...limits, ...shadow];
}

const itemFields = (policy: ShardPolicy): string[] => policy.items.flatMap((item) => [item.itemId, item.json]);

function* chunks<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}
