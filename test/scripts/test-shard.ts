import { randomUUID } from 'node:crypto';
import { readSettings } from '../../src/config/index.js';
import { RedisConnections, type RedisClient } from '../../src/infra/redis/index.js';
import { SaleScripts, type LoadOutcome, type ShardBuild, type ShardPolicy } from '../../src/goods/sale.scripts.js';
import { saleKeys, type SaleShard, type TicketRecord } from '../../src/goods/index.js';
import { SeckillScripts, type BasketLine, type ClaimOutcome, type JoinOutcome, type ReleaseCall } from '../../src/seckill/seckill.scripts.js';
import { TicketReader } from '../../src/seckill/ticket.reader.js';
import { StockScripts, type Settlement } from '../../src/seckill/index.js';
import { freshRedis } from '../harness/services.js';
import { until } from '../harness/until.js';

const HOUR_MS = 3_600_000;

/** What a test wants of its shard; the rest is an open sale of one item, `1`, with 10 units. */
export interface ShardPlan extends Partial<Omit<ShardPolicy, 'items'>> {
  epoch?: string;
  stock?: Record<string, number>;
  limitPerUser?: number;
  tokens?: Map<string, Iterable<number>>;
  tickets?: Iterable<[string, TicketRecord]>;
  liveTickets?: Iterable<[string, number]>;
  units?: Iterable<[string, number]>;
  returnsBase?: number;
}

/** The scripts' fronts on a real Redis. Always pair with `close()` in `afterAll`. */
export class ScriptBench {
  private constructor(private readonly connections: RedisConnections) {}

  /** On the worker's own Redis, emptied; or on the cluster named. */
  static async open(env: { REDIS_CLUSTER_NODES?: string } = {}): Promise<ScriptBench> {
    const address = env.REDIS_CLUSTER_NODES === undefined ? { REDIS_URL: await freshRedis() } : env;
    const bench = new ScriptBench(new RedisConnections(readSettings({ DATABASE_URL: 'mysql://none', ...address })));
    const { request, work, subscriber } = bench.connections;
    await until('the connections to be ready', () => [request, work, subscriber].every(({ status }) => status === 'ready'));
    return bench;
  }

  close(): void {
    this.connections.onApplicationShutdown();
  }

  get redis(): RedisClient {
    return this.connections.work;
  }

  get subscriber(): RedisClient {
    return this.connections.subscriber;
  }

  /** A shard that nothing is loaded into. */
  empty(plan: ShardPlan = {}): TestShard {
    return new TestShard(this.connections, plan);
  }

  /** A shard of a new sale, loaded. */
  async loaded(plan: ShardPlan = {}): Promise<TestShard> {
    const shard = this.empty(plan);
    await shard.load();
    return shard;
  }
}

/** One shard of a sale, with short ways to call its scripts. */
export class TestShard {
  private static sales = 0;
  readonly at: SaleShard = { saleId: String((TestShard.sales += 1)), shard: 0 };
  readonly sales: SaleScripts;
  readonly seckill: SeckillScripts;
  readonly stock: StockScripts;
  readonly tickets: TicketReader;
  readonly redis: RedisClient;
  private readonly startedAtMs = Date.now();

  constructor(connections: RedisConnections, readonly plan: ShardPlan) {
    this.sales = new SaleScripts(connections);
    this.seckill = new SeckillScripts(connections);
    this.stock = new StockScripts(connections);
    this.tickets = new TicketReader(connections);
    this.redis = connections.work;
    // These tests ask what the scripts do, also on a machine that is too busy to answer as soon as shoppers must be.
    for (const client of [connections.request, connections.work]) Object.assign(client.options, { commandTimeout: 30_000 });
  }

  get epoch(): string {
    return this.plan.epoch ?? '1';
  }

  get itemIds(): string[] {
    return Object.keys(this.plan.stock ?? { 1: 10 });
  }

  policy(changes: ShardPlan = {}): ShardPolicy {
    const { limitPerUser = 100, ...plan } = { ...this.plan, ...changes };
    return {
      state: plan.state ?? 'open',
      mode: plan.mode ?? 'queue',
      shards: plan.shards ?? 1,
      standbyLimit: plan.standbyLimit ?? 0,
      claims: plan.claims ?? 'go_on',
      startsAtMs: plan.startsAtMs ?? this.startedAtMs - HOUR_MS,
      endsAtMs: plan.endsAtMs ?? this.startedAtMs + HOUR_MS,
      expireAtMs: plan.expireAtMs ?? this.startedAtMs + 2 * HOUR_MS,
      items: this.itemIds.map((itemId) => ({ itemId, limitPerUser, json: JSON.stringify({ id: itemId }) })),
    };
  }

  load(changes: ShardPlan = {}): Promise<LoadOutcome> {
    const { stock = { 1: 10 }, tokens, tickets = [], liveTickets = [], units = [], returnsBase = 1 } = { ...this.plan, ...changes };
    const all = Object.entries(stock).map(([itemId, count]) => [itemId, serials(1, count)] as const);
    const build: ShardBuild = {
      epoch: changes.epoch ?? this.epoch, policy: this.policy(changes), returnsBase, tokens: tokens ?? new Map(all), tickets, liveTickets, units, waiting: [], claims: [],
    };
    return this.sales.load(this.at, build);
  }

  steer(changes: ShardPlan): Promise<'steered' | 'not_loaded'> {
    return this.sales.steer(this.at, this.epoch, this.policy(changes));
  }

  /** Joins with one unit of the first item, or with the basket given as item ids and quantities. */
  join(userId: string, basket: Record<string, number> | BasketLine[] = { [this.itemIds[0] ?? '']: 1 }, ticketId = `ticket-${userId}`): Promise<JoinOutcome> {
    const lines = Array.isArray(basket) ? basket : Object.entries(basket).map(([itemId, quantity]) => ({ itemId, quantity }));
    return this.seckill.join(this.at, { ticketId, userId, basket: lines });
  }

  /** Joins with one unit of the first item and an idempotency key. */
  joinWithKey(userId: string, idempotencyKey: string, ticketId: string, quantity = 1): Promise<JoinOutcome> {
    return this.seckill.join(this.at, { ticketId, userId, basket: [{ itemId: this.itemIds[0] ?? '', quantity }], idempotencyKey });
  }

  claim({ drainId = 'drain', leaseMs = 60_000, maxTickets = 100, inHand = 0 } = {}): Promise<ClaimOutcome> {
    return this.seckill.claim(this.at, { drainId, leaseMs, maxTickets, inHand, itemIds: this.itemIds });
  }

  /** Claims and answers the claimed tickets. @throws when it claims nothing */
  async claimed(call: { drainId?: string; leaseMs?: number; maxTickets?: number; inHand?: number } = {}): Promise<Extract<ClaimOutcome, { outcome: 'claimed' }>> {
    const claim = await this.claim(call);
    if (claim.outcome !== 'claimed') throw new Error(`the claim was answered ${claim.outcome}`);
    return claim;
  }

  settle(settlements: Settlement[], { epoch = this.epoch, drainId = 'drain' } = {}): Promise<'settled' | 'stale' | 'not_ours'> {
    return this.seckill.settle(this.at, { epoch, drainId, itemIds: this.itemIds, settlements });
  }

  /** Claims everybody who waits and settles them as ordered. */
  async orderAll(): Promise<void> {
    const { tickets } = await this.claimed();
    await this.settle(tickets.map(({ ticketId }) => ordered(ticketId)));
  }

  async release(returnId: number, call: Partial<ReleaseCall> = {}): Promise<'released' | 'repeated' | 'stale'> {
    return (await this.releasing(returnId, call)).outcome;
  }

  /** The same, with whether the drain has to be woken. */
  releasing(returnId: number, call: Partial<ReleaseCall> = {}): ReturnType<SeckillScripts['release']> {
    return this.seckill.release(this.at, { epoch: this.epoch, itemId: this.itemIds[0] ?? '', serial: 1, userId: null, returnId: String(returnId), ...call });
  }

  finish(userId: string, status: 'paid' | 'expired' | 'cancelled', ticketId = `ticket-${userId}`): Promise<'finished' | 'other_ticket' | 'stale'> {
    return this.seckill.finish(this.at, { epoch: this.epoch, userId, ticketId, status, reason: null, ...orderOf(ticketId) });
  }

  leave(userId: string): ReturnType<SeckillScripts['leave']> {
    return this.seckill.leave(this.at, userId);
  }

  withdraw(quantity: number, itemId = this.itemIds[0] ?? '', id: string = randomUUID()): ReturnType<StockScripts['withdraw']> {
    return this.stock.withdraw(this.at, this.epoch, { id, itemId, quantity });
  }

  async ticket(userId: string): Promise<TicketRecord | null> {
    return (await this.tickets.read(this.at, userId))?.ticket ?? null;
  }

  /** The free serials of an item, the next to be sold first. */
  async free(itemId = this.itemIds[0] ?? ''): Promise<number[]> {
    return (await this.redis.lrange(saleKeys.stock(this.at, itemId), 0, -1)).map(Number).reverse();
  }

  /** Who stands by, the first in line first. */
  standby(): Promise<string[]> {
    return this.redis.zrange(saleKeys.standby(this.at), 0, -1);
  }

  /** Waiting entries as `<seq> <user id>`, the next to be claimed first. */
  async queue(): Promise<string[]> {
    return (await this.redis.lrange(saleKeys.queue(this.at), 0, -1)).reverse();
  }

  async units(userId: string, itemId = this.itemIds[0] ?? ''): Promise<number> {
    return Number(await this.redis.hget(saleKeys.units(this.at), `${userId}:${itemId}`));
  }

  async live(userId: string): Promise<number> {
    return Number(await this.redis.hget(saleKeys.count(this.at), userId));
  }

  /** Every key of the shard, in order. */
  async keys(): Promise<string[]> {
    return (await this.redis.keys(`seckill:{${this.at.saleId}:0}:*`)).sort();
  }

  async nowMs(): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  /** Asks Redis for the time until its clock has passed a moment that is near. */
  async passed(atMs: number): Promise<void> {
    while ((await this.nowMs()) <= atMs);
  }
}

/** The order that `ordered` makes of a ticket, as `finish` names it. */
export const orderOf = (ticketId: string): { orderId: string; amountMinor: number; currency: string } => ({ orderId: `order-${ticketId}`, amountMinor: 100, currency: 'EUR' });

/** `first` to `last`. */
export function serials(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

export const ordered = (ticketId: string): Settlement => ({
  ticketId, outcome: 'ordered', orderId: `order-${ticketId}`, amountMinor: 100, currency: 'EUR', payBeforeMs: 1_900_000_000_000,
});

export const rejected = (ticketId: string, reason = 'LIMIT_REACHED', drop: { itemId: string; serial: number }[] = []): Settlement => ({
  ticketId, outcome: 'rejected', reason, drop,
});

export const requeued = (ticketId: string, drop: { itemId: string; serial: number }[] = []): Settlement => ({ ticketId, outcome: 'requeued', drop });
