import { getQueueToken } from '@nestjs/bull';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Queue } from 'bull';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { AppModule } from '../../src/app.module.js';
import { TestShoppers, type ShopperToken } from '../../src/auth/index.js';
import { readSettings, type ProcessRole } from '../../src/config/index.js';
import { closeHttpApp, createHttpApp } from '../../src/infra/http/index.js';
import { RedisConnections } from '../../src/infra/redis/index.js';
import { Api, type Answer } from './api.js';
import { freshServices, type Services } from './services.js';
import { until } from './until.js';

export interface ItemPlan {
  title?: string;
  stock: number;
  limitPerUser?: number;
  priceMinor?: number;
  listPriceMinor?: number;
}

export interface SalePlan {
  title?: string;
  items?: ItemPlan[];
  mode?: 'queue' | 'instant';
  startsInMs?: number;
  endsInMs?: number;
  paymentTimeoutSeconds?: number;
  shards?: number;
  standbyLimit?: number;
  publish?: boolean;
}

/** A published sale, as tests need it. */
export interface TestSale {
  id: string;
  itemIds: string[];
}

const OPERATOR = { OPERATOR_USERNAME: 'operator', OPERATOR_PASSWORD: 'operator-demo' };

/** The whole service in this process, on real servers, with what tests ask of it again and again. */
export class Shop {
  private apps: NestFastifyApplication[] = [];
  private isPatient = false;
  api!: Api;
  operator!: Api;
  redis!: Redis;
  private prefix = 0;

  private constructor(
    readonly services: Services,
    private readonly settings: Record<string, string>,
  ) {}

  /** Starts the service on fresh servers. Always pair with `close()` in `afterAll`. */
  static async open(settings: Record<string, string> = {}, roles: ProcessRole[] = ['api', 'worker', 'scheduler']): Promise<Shop> {
    return Shop.on(await freshServices(), settings, roles);
  }

  /**
   * For tests with a crowd: crowd and every role share one process here, which on a busy machine stands still for longer than a shopper's
   * command may take. Their servers never go away, so a command that is slow is only slow.
   */
  bePatient(): void {
    this.isPatient = true;
    for (const app of this.apps) Object.assign(app.get(RedisConnections).request.options, { commandTimeout: 30_000 });
  }

  /** The same on servers of the test's own, which it may stop or freeze. */
  static async on(services: Services, settings: Record<string, string> = {}, roles: ProcessRole[] = ['api', 'worker', 'scheduler']): Promise<Shop> {
    const shop = new Shop(services, settings);
    shop.redis = new Redis(shop.services.redisUrl);
    await shop.start(roles);
    return shop;
  }

  /** Starts one more process's worth of the service, with these roles; the newest with the api role answers `api`. */
  async start(roles: ProcessRole[]): Promise<NestFastifyApplication> {
    const { databaseUrl, redisUrl } = this.services;
    const settings = readSettings({
      PORT: '0', LOG_LEVEL: 'fatal', NODE_ENV: 'test', ...OPERATOR, ...this.settings,
      ROLE: roles.join(','), DATABASE_URL: databaseUrl, REDIS_URL: redisUrl,
    });
    const app = await createHttpApp(AppModule.for(settings), settings);
    await app.listen(0, '127.0.0.1');
    this.apps.push(app);
    if (this.isPatient) this.bePatient();
    if (roles.includes('api')) {
      this.api = new Api(`${await app.getUrl()}/api`);
      const { body } = await this.api.post('/auth/login', { username: OPERATOR.OPERATOR_USERNAME, password: OPERATOR.OPERATOR_PASSWORD });
      this.operator = this.api.as(body.token);
    }
    return app;
  }

  /** Stops one of the running applications. */
  async stop(app: NestFastifyApplication, graceMs = 0): Promise<void> {
    this.apps = this.apps.filter((other) => other !== app);
    await closeHttpApp(app, graceMs);
  }

  /** Stops everything and starts it again, as one process, at another address. */
  async restart(roles: ProcessRole[] = ['api', 'worker', 'scheduler']): Promise<void> {
    for (const app of [...this.apps].reverse()) await this.stop(app);
    await this.start(roles);
  }

  async close(): Promise<void> {
    for (const app of [...this.apps].reverse()) await closeHttpApp(app);
    this.apps = [];
    this.redis.disconnect();
  }

  /** The operator, as a browser that is signed in knows them. */
  get operatorSession(): ShopperToken {
    return { username: OPERATOR.OPERATOR_USERNAME, token: this.operator.token ?? '' };
  }

  /** Where pages and API are, as a browser says it. */
  get origin(): string {
    return new URL(this.api.base).origin;
  }

  /** A provider of the running application. */
  get<T>(token: abstract new (...args: never[]) => T): T {
    const [app] = this.apps;
    if (!app) throw new Error('the service does not run');
    return app.get<T>(token, { strict: false });
  }

  /** A Bull queue of the service. */
  queue(name: string): Queue {
    const [app] = this.apps;
    if (!app) throw new Error('the service does not run');
    return app.get(getQueueToken(name), { strict: false });
  }

  get database(): DataSource {
    return this.get(DataSource);
  }

  /** Creates goods and a sale through the operator's API, publishes it (unless told not to) and waits until it is loaded. */
  async sale({ items = [{ stock: 10 }], startsInMs = -1000, endsInMs = 3_600_000, publish = true, ...plan }: SalePlan = {}): Promise<TestSale> {
    const offers = [];
    for (const { title = 'Test goods', stock, limitPerUser = 1, priceMinor = 100, listPriceMinor = 1000 } of items) {
      const goods = await this.operator.post('/admin/goods', { title, listPriceMinor, currency: 'EUR' });
      offers.push({ goodsId: goods.body.id, priceMinor, stock, limitPerUser });
    }
    const window = { startsAt: new Date(Date.now() + startsInMs).toISOString(), endsAt: new Date(Date.now() + endsInMs).toISOString() };
    const created = ok(await this.operator.post('/admin/sales', { title: 'Test sale', ...window, ...plan, items: offers }), 201);
    const sale = { id: created.body.id, itemIds: created.body.items.map((item: { id: string }) => item.id) };
    if (publish) ok(await this.operator.post(`/admin/sales/${sale.id}/publish`), 200);
    return sale;
  }

  /** Signed-in shoppers, new ones at each call. */
  async shoppers(count: number): Promise<Api[]> {
    return (await this.tokens(count)).map(({ token }) => this.api.as(token));
  }

  /** The same as name and token. */
  async tokens(count: number): Promise<ShopperToken[]> {
    this.prefix += 1;
    const tokens: ShopperToken[] = [];
    for await (const batch of this.get(TestShoppers).create(count, { prefix: `s${this.prefix}` })) tokens.push(...batch);
    return tokens;
  }

  /** One signed-in shopper. */
  async shopper(): Promise<Api> {
    const [shopper] = await this.shoppers(1);
    if (!shopper) throw new Error('no shopper');
    return shopper;
  }

  /** Joins with one unit of the sale's first item, or with the basket given. */
  join(shopper: Api, sale: TestSale, basket?: { itemId: string; quantity: number }[]): Promise<Answer> {
    return shopper.post(`/sales/${sale.id}/tickets`, { items: basket ?? [{ itemId: sale.itemIds[0] ?? '', quantity: 1 }] });
  }

  /** Waits until the shopper's ticket has one of these statuses and answers it. */
  ticketWhen(shopper: Api, sale: TestSale, statuses: string[], deadlineMs?: number): Promise<any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- a ticket
    let last: unknown;
    return until(
      `a ticket that is ${statuses.join(' or ')}`,
      async () => {
        const { body } = await shopper.get(`/sales/${sale.id}/ticket`);
        last = body;
        return statuses.includes(body.status) && body;
      },
      deadlineMs,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; last seen: ${JSON.stringify(last)}`);
    });
  }

  /** Joins and waits for the order; answers the ticket. */
  async buy(shopper: Api, sale: TestSale, basket?: { itemId: string; quantity: number }[]): Promise<any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- a ticket
    ok(await this.join(shopper, sale, basket), 202);
    return this.ticketWhen(shopper, sale, ['awaiting_payment']);
  }

  /** Loses everything that Redis knows of the sale, and nothing else: sessions stay. */
  async wipe(sale: TestSale): Promise<void> {
    const keys = await this.redis.keys(`seckill:{${sale.id}:*`);
    if (keys.length > 0) await this.redis.del(...keys);
  }

  async proof(sale: TestSale): Promise<any> { // eslint-disable-line @typescript-eslint/no-explicit-any -- a proof
    return ok(await this.operator.get(`/admin/sales/${sale.id}/proof`), 200).body;
  }
}

/** The answer, if it has the status. @throws Error showing the answer otherwise */
export function ok(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}
