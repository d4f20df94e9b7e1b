import { setTimeout as delay } from 'node:timers/promises';
import { ok, type TestSale } from '../../harness/shop.js';
import { runCrowd, type Intent, type Story } from './crowd.js';
import type { Deployment, Role } from './deployment.js';
import { breaksOf } from './guarantees.js';
import { Merchant, type MerchantPlan } from './merchant.js';

/** One fault at one moment, and the crowd that meets it. */
export interface Scenario {
  fault: string;
  moment: string;
  mode?: 'queue' | 'instant';
  /** Faults put into the first process of a role, for its first life (see inject.mjs). */
  inject?: Partial<Record<Role, string>>;
  /** Further environment for every process, and for the first process of a role. */
  env?: NodeJS.ProcessEnv;
  envOf?: Partial<Record<Role, NodeJS.ProcessEnv>>;
  paymentTimeoutSeconds?: number;
  standbyLimit?: number;
  /** What the shoppers do with their orders; unless told otherwise every unit finds a buyer who keeps it. */
  intentOf?: (index: number) => Intent;
  workers?: number;
  schedulers?: number;
  /** What is done to the running service while the crowd is at it. */
  disturb?: (deployment: Deployment, sale: TestSale) => Promise<void>;
  disturbAfterMs?: number;
  shoppers?: number;
  stock?: number;
  /** A merchant's system gets the events of the sale, and behaves like this. */
  merchant?: MerchantPlan;
  /** The first process of this role must have died. */
  kills?: Role;
}

export interface Result {
  fault: string;
  moment: string;
  breaks: string[];
  line: string;
}

const CROWD = 120;
const STOCK = 60;
const DEADLINE_MS = 60_000;

/** Runs a scenario on processes of its own and answers what became of the guarantees. */
export async function runScenario(deployment: Deployment, scenario: Scenario): Promise<Result> {
  const { mode = 'queue', shoppers = CROWD, stock = STOCK, workers = 1, schedulers = 1 } = scenario;
  let merchant: Merchant | undefined;
  try {
    await startProcesses(deployment, scenario, workers, schedulers);
    if (scenario.merchant) merchant = await Merchant.open(deployment, scenario.merchant);
    const sale = await openSale(deployment, { mode, stock, ...(scenario.paymentTimeoutSeconds && { paymentTimeoutSeconds: scenario.paymentTimeoutSeconds }), ...(scenario.standbyLimit && { standbyLimit: scenario.standbyLimit }) });
    const crowd = runCrowd(deployment.api, await deployment.shoppers(shoppers), {
      saleId: sale.id,
      basketOf: () => sale.itemIds.map((itemId) => ({ itemId, quantity: 1 })),
      intentOf: scenario.intentOf ?? intentOf,
      deadlineMs: DEADLINE_MS,
    });
    if (scenario.disturb) {
      await delay(scenario.disturbAfterMs ?? 250);
      await scenario.disturb(deployment, sale);
    }
    merchant?.takeAll();
    const stories = await crowd;
    const breaks = await breaksOf(deployment, { sale, stock, limitPerUser: 1, stories, sellsOut: !scenario.intentOf });
    if (merchant) breaks.push(...(await merchant.breaksOf(sale)));
    if (scenario.kills && deployment.processes.find((p) => p.role === scenario.kills)?.deaths === 0) breaks.push(`the fault never struck the ${scenario.kills}`);
    for (const service of deployment.processes) {
      if (service.failures > 0) breaks.push(`${service.name} ended by itself ${service.failures} times: ${await service.lastWords()}`);
    }
    return { fault: scenario.fault, moment: scenario.moment, breaks, line: [summary(stories), ...(merchant ? [merchant.summary()] : [])].join('; ') };
  } finally {
    await merchant?.close();
    await deployment.stopProcesses();
  }
}

async function startProcesses(deployment: Deployment, { inject = {}, env = {}, envOf = {} }: Scenario, workers: number, schedulers: number): Promise<void> {
  const faults = (role: Role): NodeJS.ProcessEnv => ({ ...env, ...envOf[role], ...(inject[role] === undefined ? {} : { FAULT: inject[role] }) });
  await Promise.all([
    deployment.add('api', 1, faults('api')),
    deployment.add('worker', 1, faults('worker')),
    deployment.add('scheduler', 1, faults('scheduler')),
    deployment.add('worker', workers - 1, env),
    deployment.add('scheduler', schedulers - 1, env),
  ]);
}

/** Every unit finds a buyer who keeps it: two in three pay at once, the others hold their order. */
const intentOf = (index: number): Intent => (index % 3 === 0 ? 'keep' : 'pay');

async function openSale(deployment: Deployment, { stock, ...policy }: { mode: string; stock: number; paymentTimeoutSeconds?: number; standbyLimit?: number }): Promise<TestSale> {
  const { operator } = deployment;
  const items = [];
  for (const title of ['Left shoe', 'Right shoe']) {
    const goods = ok(await operator.post('/admin/goods', { title, listPriceMinor: 1000, currency: 'EUR' }), 201);
    items.push({ goodsId: goods.body.id, priceMinor: 500, stock, limitPerUser: 1 });
  }
  const window = { startsAt: new Date(Date.now() - 600_000).toISOString(), endsAt: new Date(Date.now() + 3_600_000).toISOString() };
  const draft = ok(await operator.post('/admin/sales', { title: 'Fault sale', ...policy, ...window, items }), 201);
  // A scheduler may be dying over this very sale: the operator tries again, as one would.
  const published = await operator.post(`/admin/sales/${draft.body.id}/publish`);
  if (published.status !== 503) ok(published, 200);
  return { id: draft.body.id, itemIds: draft.body.items.map((item: { id: string }) => item.id) };
}

function summary(stories: Story[]): string {
  const ends = new Map<string, number>();
  for (const { end } of stories) ends.set(end?.status ?? 'no end', (ends.get(end?.status ?? 'no end') ?? 0) + 1);
  const lost = stories.filter(({ lostTickets }) => lostTickets > 0).length;
  return [...[...ends].sort().map(([status, count]) => `${count} ${status}`), ...(lost > 0 ? [`${lost} lost their ticket and joined again`] : [])].join(', ');
}
