import { Injectable } from '@nestjs/common';
import { parseClaim, parseTicket, saleKeys, type SaleShard, shardName, STOCK_CHANNEL } from '../goods/index.js';
import { asInteger, asList, asText, RedisConnections, Script } from '../infra/redis/index.js';

const withdraw = new Script('seckillWithdraw', new URL('./scripts/withdraw.lua', import.meta.url));
const line = new Script('seckillLine', new URL('./scripts/line.lua', import.meta.url));
const mend = new Script('seckillMend', new URL('./scripts/mend.lua', import.meta.url));
const conclude = new Script('seckillConclude', new URL('./scripts/conclude.lua', import.meta.url));

/** Tokens read in one command, so that a long list never holds Redis up. */
const CHUNK = 10_000;

export interface Withdrawal {
  id: string;
  itemId: string;
  serials: number[];
  /** Whose order gets the units; '' when an operator takes them out of sale, or they move. */
  userId: string;
  /** Where they move to; null when they do not. */
  toShard: number | null;
}

/** How a withdrawal ends. Serials to `drop` are in other hands and must not return to the list. */
export type WithdrawalEnd = { end: 'withdrawn' } | { end: 'returned'; drop: number[] };

export interface WithdrawCall {
  id: string;
  itemId: string;
  quantity: number;
  /** Whose order gets the units; none when an operator takes them out of sale, or they move. */
  userId?: string;
  /** Where they move to, if they do. */
  toShard?: number;
}

/** `line_first`: what is free may be taken by those who are in line. */
export type WithdrawOutcome = { outcome: 'taken'; serials: number[] } | { outcome: 'short'; left: number } | { outcome: 'line_first' } | { outcome: 'stale' };

/** Everything a shard's Redis state says about where tokens are. */
export interface TokenPlaces {
  epoch: string;
  /** Per item, the serials in its stock list. */
  inList: Map<string, number[]>;
  /** Claimed tokens with the ticket they were taken for. */
  claimed: { itemId: string; serial: number; ticketId: string }[];
  withdrawing: Withdrawal[];
}

/** What of a sale is free on a shard, and who stands by there. */
export interface ShardLine {
  shard: SaleShard;
  /** Free units by item. */
  free: Map<string, number>;
  /** Entries of the queue: at least as many as tickets wait in it. */
  queued: number;
  /** Tickets that stand by. */
  standby: number;
  /** Whether nobody of this shard can use what is free on it: the queue is empty, and all who stand by were offered it. */
  isAtRest: boolean;
  /** By item, how long ago somebody was refused because there was none; of items for which that happened. */
  wantedMsAgo: Map<string, number>;
  /** The first of those who stand by, in their order. */
  tickets: { joinedAtMs: number; basket: [itemId: string, quantity: number][] }[];
}

/** What a shard counts, for the operator. */
export interface ShardFigures {
  joins: number;
  served: number;
  waiting: number;
  standby: number;
  claimed: number;
  ratePerSecond: number;
}

/** Typed front of the scripts and reads around a shard's stock: withdrawals, proof, figures. */
@Injectable()
export class StockScripts {
  constructor(private readonly redis: RedisConnections) {}

  /**
   * Takes free tokens out of the list, all or none; they wait in `withdrawing` for `conclude`. A repeat of the same id takes nothing more.
   * Units for an order, or for another shard, are taken only as far as nobody in line here can use them.
   */
  async withdraw(shard: SaleShard, epoch: string, { id, itemId, quantity, userId = '', toShard }: WithdrawCall): Promise<WithdrawOutcome> {
    const keys = [saleKeys.sale(shard), saleKeys.stock(shard, itemId), saleKeys.withdrawing(shard), saleKeys.queue(shard)];
    const [name, answer] = asList(await withdraw.run(this.redis.work, keys, [epoch, id, itemId, quantity, STOCK_CHANNEL, shardName(shard), userId, toShard ?? '']));
    if (asText(name) === 'TAKEN') return { outcome: 'taken', serials: asList(answer).map(asInteger) };
    if (asText(name) === 'SHORT') return { outcome: 'short', left: asInteger(answer) };
    return { outcome: asText(name) === 'LINE_FIRST' ? 'line_first' : 'stale' };
  }

  /** Ends a withdrawal. Repeating is safe. */
  async conclude(shard: SaleShard, epoch: string, { id, itemId }: Pick<Withdrawal, 'id' | 'itemId'>, how: WithdrawalEnd): Promise<void> {
    const keys = [saleKeys.sale(shard), saleKeys.stock(shard, itemId), saleKeys.withdrawing(shard), saleKeys.units(shard)];
    await conclude.run(this.redis.work, keys, [epoch, id, how.end, STOCK_CHANNEL, shardName(shard), 'drop' in how ? how.drop.join(',') : '']);
  }

  /** Brings a list to hold a token as often as it must (0 or 1); `copies` is how often. */
  async mend(shard: SaleShard, epoch: string, { itemId, serial, copies }: { itemId: string; serial: number; copies: number }): Promise<'mended' | 'fine' | 'stale'> {
    const keys = [saleKeys.sale(shard), saleKeys.stock(shard, itemId)];
    const name = asText(asList(await mend.run(this.redis.work, keys, [epoch, itemId, serial, copies, STOCK_CHANNEL, shardName(shard)]))[0]);
    return name === 'MENDED' ? 'mended' : name === 'FINE' ? 'fine' : 'stale';
  }

  /** Whether the state of that epoch is loaded. */
  async stands(shard: SaleShard, epoch: string): Promise<boolean> {
    return (await this.redis.work.hget(saleKeys.sale(shard), 'epoch')) === epoch;
  }

  /** Free units of an item on a shard. */
  free(shard: SaleShard, itemId: string): Promise<number> {
    return this.redis.work.llen(saleKeys.stock(shard, itemId));
  }

  /** What is free on a shard and the first `most` tickets that stand by for it, as of one moment; null when nothing is loaded. */
  async line(shard: SaleShard, itemIds: string[], most: number): Promise<ShardLine | null> {
    const keys = [saleKeys.sale, saleKeys.queue, saleKeys.status, saleKeys.standby].map((key) => key(shard));
    const reply = asList(await line.run(this.redis.work, [...keys, ...itemIds.map((itemId) => saleKeys.stock(shard, itemId))], [most, ...itemIds]));
    if (asText(reply[0]) === 'NOT_LOADED') return null;
    const free = asList(reply[3]).map(asInteger);
    const ages = asList(reply[5]).map(asInteger);
    const tickets = asList(reply[4]).map((json) => parseTicket(asText(json))).filter(({ status }) => status === 'standby');
    return {
      shard,
      free: new Map(itemIds.map((itemId, index) => [itemId, free[index] ?? 0])),
      queued: asInteger(reply[6]),
      standby: asInteger(reply[2]),
      isAtRest: asInteger(reply[1]) === 1,
      wantedMsAgo: new Map(itemIds.map((itemId, index): [string, number] => [itemId, ages[index] ?? -1]).filter(([, age]) => age >= 0)),
      tickets: tickets.map(({ joinedAtMs = 0, items = [] }) => ({ joinedAtMs, basket: items })),
    };
  }

  /** The ids of the withdrawals that were begun and not concluded. */
  withdrawalIds(shard: SaleShard): Promise<string[]> {
    return this.redis.work.hkeys(saleKeys.withdrawing(shard));
  }

  /** These withdrawals. */
  async withdrawals(shard: SaleShard): Promise<Withdrawal[]> {
    return Object.entries(await this.redis.work.hgetall(saleKeys.withdrawing(shard))).map(([id, json]) => parseWithdrawal(id, json));
  }

  /** The claimed tokens. */
  async claimed(shard: SaleShard): Promise<TokenPlaces['claimed']> {
    const tokens: TokenPlaces['claimed'] = [];
    for (const json of await this.redis.work.hvals(saleKeys.claimed(shard))) {
      const { ticketId, lines } = parseClaim(json);
      for (const { itemId, serials } of lines) tokens.push(...serials.map((serial) => ({ itemId, serial, ticketId })));
    }
    return tokens;
  }

  /**
   * Where the shard's tokens are, or null when nothing is loaded. Not one snapshot: the lists are read in chunks while the sale goes on,
   * so a token on the move may be seen twice or not at all.
   */
  async tokenPlaces(shard: SaleShard, itemIds: string[]): Promise<TokenPlaces | null> {
    const epoch = await this.redis.work.hget(saleKeys.sale(shard), 'epoch');
    if (epoch === null) return null;
    const inList = new Map<string, number[]>();
    for (const itemId of itemIds) inList.set(itemId, await this.readList(saleKeys.stock(shard, itemId)));
    return { epoch, inList, claimed: await this.claimed(shard), withdrawing: await this.withdrawals(shard) };
  }

  /** What the shard counts, or null when nothing is loaded. */
  async figures(shard: SaleShard): Promise<ShardFigures | null> {
    const [[seq, served, rate], waiting, standby, claimed] = await Promise.all([
      this.redis.work.hmget(saleKeys.sale(shard), 'seq', 'served', 'rate'),
      this.redis.work.llen(saleKeys.queue(shard)),
      this.redis.work.zcard(saleKeys.standby(shard)),
      this.redis.work.hlen(saleKeys.claimed(shard)),
    ]);
    if (seq === null || seq === undefined) return null;
    return { joins: Number(seq), served: Number(served), waiting, standby, claimed, ratePerSecond: Number(rate ?? 0) };
  }

  private async readList(key: string): Promise<number[]> {
    const serials: number[] = [];
    for (let from = 0; ; from += CHUNK) {
      const chunk = await this.redis.work.lrange(key, from, from + CHUNK - 1);
      for (const serial of chunk) serials.push(Number(serial));
      if (chunk.length < CHUNK) return serials;
    }
  }
}

function parseWithdrawal(id: string, json: string): Withdrawal {
  const value: unknown = JSON.parse(json);
  if (typeof value === 'object' && value !== null && 'itemId' in value && typeof value.itemId === 'string' && 'serials' in value && Array.isArray(value.serials)) {
    const userId = 'userId' in value && typeof value.userId === 'string' ? value.userId : '';
    const toShard = 'toShard' in value && typeof value.toShard === 'string' && value.toShard !== '' ? Number(value.toShard) : null;
    return { id, itemId: value.itemId, serials: value.serials.map(Number), userId, toShard };
  }
  throw new TypeError('this is no withdrawal');
}
