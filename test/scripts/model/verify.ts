import { saleKeys, type TicketRecord } from '../../../src/goods/index.js';
import { parseClaim, parseTicket } from '../../../src/goods/index.js';
import type { TestShard } from '../test-shard.js';
import { isLive, type ShardModel, type ShardState } from './shard-model.js';

/** What Redis holds, read in one round trip. */
export interface Found {
  sale: Record<string, string>;
  stock: Map<string, number[]>;
  queue: string[];
  standby: string[];
  tickets: Map<string, TicketRecord>;
  count: Map<string, number>;
  units: Map<string, number>;
  claimed: ReturnType<typeof parseClaim>[];
  working: string[];
  withdrawing: Map<string, { itemId: string; serials: string[] }>;
}

export async function readShard({ redis, at, itemIds }: TestShard): Promise<Found> {
  const hash = (key: string): Promise<[string, string][]> => redis.hgetall(key).then(Object.entries);
  const [sale, queue, tickets, count, units, claimed, working, withdrawing, standby, ...lists] = await Promise.all([
    redis.hgetall(saleKeys.sale(at)), redis.lrange(saleKeys.queue(at), 0, -1), hash(saleKeys.status(at)), hash(saleKeys.count(at)),
    hash(saleKeys.units(at)), hash(saleKeys.claimed(at)), redis.smembers(saleKeys.working(at)), hash(saleKeys.withdrawing(at)), redis.zrange(saleKeys.standby(at), 0, -1),
    ...itemIds.map((itemId) => redis.lrange(saleKeys.stock(at, itemId), 0, -1)),
  ]);
  const numbers = (entries: [string, string][]): Map<string, number> => new Map(entries.map(([field, value]) => [field, Number(value)]));
  return {
    sale, working, standby, queue: queue.reverse(), count: numbers(count), units: numbers(units),
    stock: new Map(itemIds.map((itemId, index) => [itemId, (lists[index] ?? []).map(Number).reverse()])),
    tickets: new Map(tickets.map(([userId, json]) => [userId, parseTicket(json)])),
    claimed: claimed.map(([, json]) => parseClaim(json)),
    withdrawing: new Map(withdrawing.map(([id, json]) => [id, JSON.parse(json)])),
  };
}

/** Compares what stands in Redis with the model, and checks what must hold whatever the model says. */
export async function verify(model: ShardModel, shard: TestShard): Promise<void> {
  const [found, immortal] = await Promise.all([readShard(shard), withoutExpiry(shard)]);
  const { state } = model;
  if (!state) return expect(await shard.keys()).toEqual([]);
  expect(shown(found)).toEqual(predicted(model, state));
  expect(misplaced(model, found)).toEqual([]);
  expect(faultsOfCounters(model, found)).toEqual([]);
  expect(immortal).toEqual([]);
  expect(['at_rest', 'forgotten']).toContain((await shard.seckill.check(shard.at)).outcome);
}

const filled = (map: Map<string, number>): Record<string, number> => Object.fromEntries([...map].filter(([, value]) => value !== 0));
const byKey = <T>(entries: [string, T][]): Record<string, T> => Object.fromEntries(entries);

function shown({ sale, ...found }: Found): object {
  return {
    sale: [sale.epoch, sale.state, sale.seq, sale.served, sale.waking ?? null, sale.drainId ?? null, sale.offered ?? null],
    wanted: Object.keys(sale).filter((field) => field.startsWith('wanted:')).sort(),
    standby: found.standby,
    stock: byKey([...found.stock]),
    queue: found.queue,
    tickets: byKey([...found.tickets].map(([userId, { ticketId, status, seq, items }]) => [userId, { ticketId, status, seq, basket: items ?? [] }])),
    units: filled(found.units),
    claimed: byKey(found.claimed.map(({ ticketId, userId, seq, lines }) => [ticketId, { userId, seq, tokens: lines.flatMap(({ itemId, serials }) => serials.map((serial) => `${itemId}:${serial}`)) }])),
    working: found.working.sort(),
    withdrawing: byKey([...found.withdrawing].map(([id, { itemId, serials }]) => [id, serials.map((serial) => `${itemId}:${serial}`)])),
  };
}

function predicted({ saleState }: ShardModel, state: ShardState): object {
  const text = (value: number | string | null | undefined): string | null => (value === null || value === undefined ? null : String(value));
  const names = (tokens: { itemId: string; serial: number }[]): string[] => tokens.map(({ itemId, serial }) => `${itemId}:${serial}`);
  return {
    sale: [text(state.epoch), saleState, text(state.seq), text(state.served), text(state.waking), state.lease?.drainId ?? null, text(state.offered)],
    wanted: [...state.wanted].map((itemId) => `wanted:${itemId}`).sort(),
    standby: state.standby.map(({ userId }) => userId),
    stock: byKey([...state.stock]),
    queue: state.queue.map(({ seq, userId }) => `${seq} ${userId}`),
    tickets: byKey([...state.tickets].map(([userId, { basket = [], ...ticket }]) => [userId, { ...ticket, basket: basket.map(({ itemId, quantity }) => [itemId, quantity]) }])),
    units: filled(state.units),
    claimed: byKey([...state.claimed.values()].map(({ ticketId, userId, seq, tokens }) => [ticketId, { userId, seq, tokens: names(tokens) }])),
    working: [...state.working].sort(),
    withdrawing: byKey([...state.withdrawing].map(([id, tokens]) => [id, names(tokens)])),
  };
}

/** Serials that are not in exactly one place. What an order holds, or held, is the database's, also while its claim is unsettled. */
function misplaced({ db }: ShardModel, found: Found): string[] {
  const places = [
    ...[...found.stock].flatMap(([itemId, list]) => list.map((serial) => ({ itemId, serial }))),
    ...found.claimed.filter(({ ticketId }) => !db.orderOf(ticketId)).flatMap(({ lines }) => lines.flatMap(({ itemId, serials }) => serials.map((serial) => ({ itemId, serial })))),
    ...[...found.withdrawing.values()].flatMap(({ itemId, serials }) => serials.map((serial) => ({ itemId, serial: Number(serial) }))),
    ...db.liveOrders.flatMap(({ tokens }) => tokens), ...db.pendingReturns, ...db.outOfSale,
  ].map(({ itemId, serial }) => `${itemId}:${serial}`);
  const all = [...db.issued].flatMap(([itemId, issued]) => Array.from({ length: issued }, (_, index) => `${itemId}:${index + 1}`));
  const unknown = places.filter((token) => !all.includes(token));
  return [...unknown, ...all.filter((token) => places.filter((place) => place === token).length !== 1)];
}

function faultsOfCounters({ limit }: ShardModel, found: Found): string[] {
  const users = new Set([...found.tickets.keys(), ...found.count.keys()]);
  const wrongCounts = [...users].filter((userId) => (found.count.get(userId) ?? 0) !== (isLive(found.tickets.get(userId)?.status) ? 1 : 0));
  const wrongUnits = [...found.units].filter(([, units]) => units < 0 || units > limit).map(([key]) => key);
  return [...wrongCounts, ...wrongUnits];
}

/** The shard's keys that do not go when the sale's retention ends. */
export async function withoutExpiry(shard: TestShard): Promise<string[]> {
  // Answers to joins with an idempotency key go after a day.
  const keys = (await shard.keys()).filter((key) => !key.includes(':answer:'));
  const expiries = await Promise.all(keys.map((key) => shard.redis.pexpiretime(key)));
  return keys.filter((_, index) => expiries[index] !== shard.policy().expireAtMs);
}
