import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { parseTicket } from '../../src/goods/ticket.codec.js';
import { Crowd } from '../../test/harness/crowd.js';
import { inParallel } from '../../test/harness/parallel.js';
import { say } from '../kit.js';
import { delays, type Result } from './figures.js';
import type { ServiceProcess } from './service-process.js';
import { StreamCrowd } from './stream-crowd.js';

interface Sale {
  id: string;
  itemIds: string[];
}

const CONCURRENCY = 50;
const OBSERVED_MS = 6000;
const BURST_DEADLINE_MS = 30_000;
const POLLERS_START_MS = 3000;

/** The measurements, one after the other, each on a sale of its own. */
export class Measurements {
  private readonly base: string;
  private crowd: Crowd;
  private readonly streams: StreamCrowd;
  private readonly hints: Redis;

  constructor(
    private readonly api: ServiceProcess,
    private readonly tokens: string[],
    private readonly redis: Redis,
    private readonly startWorker: () => Promise<ServiceProcess>,
  ) {
    this.base = `${api.address}/api`;
    this.crowd = new Crowd(this.base);
    this.streams = new StreamCrowd(this.base);
    this.hints = redis.duplicate();
  }

  close(): void {
    this.crowd.close();
    this.streams.close();
    this.redis.disconnect();
    this.hints.disconnect();
  }

  async streaming(): Promise<Omit<Result, 'streams' | 'node' | 'cpus' | 'loadAverage' | 'cpuPolling' | 'pollsPerSecond' | 'byPolling'>> {
    const sale = await this.joinedSale();
    say('without streams');
    const { cpuShare: cpuIdle, after: bare } = await this.api.load(() => delay(OBSERVED_MS / 2));
    say('opening the streams');
    const openedMs = performance.now();
    await inParallel(this.tokens.entries(), CONCURRENCY, ([index, token]) => this.streams.open(index, `/api/sales/${sale.id}/ticket/events`, token));
    const openSeconds = (performance.now() - openedMs) / 1000;
    say('at rest');
    const rest = await this.api.load(() => delay(OBSERVED_MS));
    say('places move');
    const eventsBefore = this.streams.events;
    const moving = await this.api.load(() => this.movePlaces(sale));
    const events = this.streams.events - eventsBefore;
    say('all are decided');
    const burst = await this.decideAll(sale, this.streams.orderedAtMs);
    this.streams.close();
    return {
      openSeconds,
      heapPerStreamBytes: (rest.before.heapBytes - bare.heapBytes) / this.tokens.length,
      rssPerStreamBytes: (rest.after.rssBytes - bare.rssBytes) / this.tokens.length,
      cpuIdle,
      cpuAtRest: rest.cpuShare,
      cpuMoving: moving.cpuShare,
      eventsPerSecondMoving: events / moving.seconds,
      heapPerStreamMovingBytes: (moving.after.heapBytes - bare.heapBytes) / this.tokens.length,
      cpuInBurst: burst.cpuShare,
      burstSeconds: burst.seconds,
      byStream: burst.delays,
    };
  }

  /** The same crowd in another sale, asking when it is told to. */
  async polling(): Promise<Pick<Result, 'cpuPolling' | 'pollsPerSecond' | 'byPolling'>> {
    const sale = await this.joinedSale();
    const orderedAtMs = new Map<number, number>();
    const asked = { polls: 0 };
    say('the crowd polls');
    const pollers = Promise.all(this.tokens.map((token, index) => this.poll(sale, token, asked, () => orderedAtMs.set(index, performance.now()))));
    // It is waited for below, and may fail before.
    pollers.catch(() => undefined);
    await delay(POLLERS_START_MS);
    const pollsBefore = asked.polls;
    const load = await this.api.load(() => delay(OBSERVED_MS));
    const pollsPerSecond = (asked.polls - pollsBefore) / load.seconds;
    const burst = await this.decideAll(sale, orderedAtMs);
    await pollers;
    return { cpuPolling: load.cpuShare, pollsPerSecond, byPolling: burst.delays };
  }

  private async poll(sale: Sale, token: string, asked: { polls: number }, onOrder: () => void): Promise<void> {
    // Thousands of connections at once are more than a server's backlog takes.
    await delay(Math.random() * POLLERS_START_MS);
    for (;;) {
      const { status, text } = await this.crowd.get(`/sales/${sale.id}/ticket`, token);
      asked.polls += 1;
      const ticket = JSON.parse(text) as { status?: string; pollAfterMs?: number };
      if (status === 200 && ticket.status === 'awaiting_payment') return onOrder();
      await delay(ticket.pollAfterMs ?? 1000);
    }
  }

  /** As claims do, but slowly: one place a second, from the shard's own counter, which is put back at the end. */
  private async movePlaces(sale: Sale): Promise<void> {
    const key = `seckill:{${sale.id}:0}:sale`;
    for (let served = 1; served <= OBSERVED_MS / 1000; served += 1) {
      await this.redis.hset(key, 'served', served);
      await delay(1000);
    }
    await this.redis.hset(key, 'served', 0);
  }

  private async decideAll(sale: Sale, orderedAtMs: Map<number, number>): ReturnType<Measurements['burst']> {
    const settledAtMs = new Map<number, number>();
    const indexes = await this.indexesByUser(sale);
    const channel = `seckill:tickets:${sale.id}:0`;
    this.hints.on('message', (from: string, users: string) => {
      if (from !== channel) return;
      for (const user of users.split(' ')) settledAtMs.set(indexes.get(user) ?? -1, performance.now());
    });
    await this.hints.subscribe(channel);
    const worker = await this.startWorker();
    const burst = await this.burst(settledAtMs, orderedAtMs);
    await worker.stop();
    return burst;
  }

  private async burst(settledAtMs: Map<number, number>, orderedAtMs: Map<number, number>): Promise<{ cpuShare: number; seconds: number; delays: Result['byStream'] }> {
    const deadlineMs = performance.now() + BURST_DEADLINE_MS;
    const load = await this.api.load(async () => {
      while (orderedAtMs.size < this.tokens.length && performance.now() < deadlineMs) await delay(20);
    });
    return { cpuShare: load.cpuShare, seconds: load.seconds, delays: delays(settledAtMs, orderedAtMs) };
  }

  /** Which shopper, by index, a user id of a hint is: by the ticket ids that the shoppers were told. */
  private async indexesByUser({ id }: Sale): Promise<Map<string, number>> {
    const users = new Map<string, string>();
    for (const [user, json] of Object.entries(await this.redis.hgetall(`seckill:{${id}:0}:status`))) users.set(parseTicket(json).ticketId, user);
    return new Map(this.ticketIds.map((ticketId, index) => [users.get(ticketId) ?? '', index]));
  }

  private ticketIds: string[] = [];

  /** A sale with a unit for everybody, whom everybody has joined. */
  private async joinedSale(): Promise<Sale> {
    // The server has closed what lay idle during an earlier measurement.
    this.crowd.close();
    this.crowd = new Crowd(this.base);
    const sale = await this.sale();
    this.ticketIds = [];
    await inParallel(this.tokens.entries(), CONCURRENCY, async ([index, token]) => {
      const { text } = await this.crowd.post(`/sales/${sale.id}/tickets`, token, JSON.stringify({ items: [{ itemId: sale.itemIds[0], quantity: 1 }] }));
      this.ticketIds[index] = (JSON.parse(text) as { ticketId: string }).ticketId;
    });
    return sale;
  }

  private async sale(): Promise<Sale> {
    const { token } = await this.ask<{ token: string }>('/auth/login', '', { username: 'operator', password: 'operator-demo' });
    const goods = await this.ask<{ id: string }>('/admin/goods', token, { title: 'Bench', listPriceMinor: 1000, currency: 'EUR' });
    const [startsAt, endsAt] = [Date.now() - 1000, Date.now() + 3_600_000].map((ms) => new Date(ms).toISOString());
    const items = [{ goodsId: goods.id, priceMinor: 100, stock: this.tokens.length, limitPerUser: 1 }];
    const sale = await this.ask<{ id: string; items: { id: string }[] }>('/admin/sales', token, { title: 'Bench', startsAt, endsAt, items });
    await this.ask(`/admin/sales/${sale.id}/publish`, token, {});
    return { id: sale.id, itemIds: sale.items.map(({ id }) => id) };
  }

  private async ask<T>(path: string, token: string, body: unknown): Promise<T> {
    const { status, text } = await this.crowd.post(path, token, JSON.stringify(body));
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text) as T;
  }
}
