import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer } from '../harness/api.js';
import { ok, type TestSale } from '../harness/shop.js';
import { until } from '../harness/until.js';
import { runCrowd, type Intent, type Story } from './harness/crowd.js';
import { Deployment, type ServiceProcess } from './harness/deployment.js';
import { breaksOf } from './harness/guarantees.js';
import { random } from '../harness/random.js';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);
const [CROWD, STOCK] = [150, 80];

/** Sale after sale under random kills, until the time is over. */
describe(`a soak of ${MINUTES} minutes`, () => {
  let deployment: Deployment;
  const dice = random('soak');
  const memory = new Map<string, number[]>();
  const heap = new Map<string, number[]>();
  beforeAll(async () => {
    deployment = await Deployment.start();
    await deployment.add('api', 1);
    await deployment.add('worker', 2);
    await deployment.add('scheduler', 2);
  }, 60_000);
  let hasEnded = false;
  let killer: Promise<void> = Promise.resolve();
  afterAll(async () => {
    hasEnded = true;
    await killer;
    await deployment.stop();
  });

  it(
    'ends with every proof ok, every ticket terminal or payable, and level memory',
    async () => {
      const endMs = Date.now() + MINUTES * 60_000;
      killer = killAtRandom(endMs);
      const breaks: string[] = [];
      for (let round = 1; Date.now() < endMs; round += 1) {
        const sale = await openSale();
        const stories = await joinPayCancel(sale);
        breaks.push(...(await breaksOf(deployment, { sale, stock: STOCK, limitPerUser: 1, stories, sellsOut: false })));
        say(`round ${round}: ${count(stories)}; ${breaks.length} breaks so far`);
        for (const service of deployment.processes) {
          note(heap, service.name, mib(await service.liveHeap()));
          note(memory, service.name, rssMiB(service));
        }
      }
      await killer;
      for (const [name, figures] of memory) say(`resident memory of ${name} in MiB, by quarters: ${quarters(figures)}; round by round: ${figures.join(' ')}`);
      for (const [name, figures] of heap) say(`live heap of ${name} in MiB, by quarters: ${quarters(figures)}; round by round: ${figures.join(' ')}`);
      expect(breaks).toEqual([]);
      // The API is never killed here, so its heap is one life's. The first quarter fills caches; from then on nothing may pile up.
      const [, second = 0, , last = 0] = quarterMeans(heap.get('api-1') ?? []);
      expect(second).toBeGreaterThan(0);
      expect(last / second).toBeLessThan(1.1);
    },
    MINUTES * 60_000 + 240_000,
  );

  async function openSale(): Promise<TestSale> {
    const goods = await answered(201, '/admin/goods', { title: 'Soaked', listPriceMinor: 1000, currency: 'EUR' });
    const window = { startsAt: new Date(Date.now() - 1000).toISOString(), endsAt: new Date(Date.now() + 3_600_000).toISOString() };
    const items = [{ goodsId: goods.body.id, priceMinor: 500, stock: STOCK, limitPerUser: 1 }];
    const draft = await answered(201, '/admin/sales', { title: 'Soak', paymentTimeoutSeconds: 5, ...window, items });
    await answered(200, `/admin/sales/${draft.body.id}/publish`);
    return { id: draft.body.id, itemIds: draft.body.items.map((item: { id: string }) => item.id) };
  }

  /** As operators do, it comes again while it is told to: a server may just be starting again. */
  async function answered(status: number, path: string, body?: object): Promise<Answer> {
    const answer = await until(`an answer to ${path}`, async () => {
      const now = await deployment.operator.post(path, body);
      return now.status !== 503 && now;
    }, 60_000);
    return ok(answer, status);
  }

  async function joinPayCancel(sale: TestSale): Promise<Story[]> {
    const intents: Intent[] = ['pay', 'pay', 'cancel', 'keep'];
    return runCrowd(deployment.api, await deployment.shoppers(CROWD), {
      saleId: sale.id,
      basketOf: () => sale.itemIds.map((itemId) => ({ itemId, quantity: 1 })),
      intentOf: (index) => intents[index % intents.length] ?? 'pay',
      deadlineMs: 60_000,
    });
  }

  /** Every few seconds a worker or scheduler dies; now and then a server does. */
  async function killAtRandom(endMs: number): Promise<void> {
    const victims = deployment.processes.filter((service) => service.role !== 'api');
    for (;;) {
      await delay(2000 + dice.next(4000));
      if (hasEnded || Date.now() > endMs) return;
      if (dice.next(10) === 0) await restart(dice.pick(['redis', 'mysql'] as const));
      else dice.pick(victims).kill();
    }
  }

  async function restart(name: 'redis' | 'mysql'): Promise<void> {
    say(`kill -9 of ${name}`);
    await deployment.services[name].kill('SIGKILL');
    await deployment.services[name].start();
  }
});

const say = (line: string): boolean => process.stderr.write(`${line}\n`);

function count(stories: Story[]): string {
  const ends = new Map<string, number>();
  for (const { end } of stories) ends.set(end?.status ?? 'no end', (ends.get(end?.status ?? 'no end') ?? 0) + 1);
  return [...ends].map(([status, n]) => `${n} ${status}`).join(', ');
}

/** Resident memory by /proc. */
function rssMiB({ pid }: ServiceProcess): number {
  try {
    const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kib ?? 0) / 1024);
  } catch {
    return 0;
  }
}

const mib = (bytes: number | undefined): number => Math.round((bytes ?? 0) / 2 ** 20);

function note(figures: Map<string, number[]>, name: string, figure: number): void {
  if (figure > 0) figures.set(name, [...(figures.get(name) ?? []), figure]);
}

const quarters = (figures: number[]): string => quarterMeans(figures).map(Math.round).join(' ');

/** Means of the four quarters of a run; none when it was too short. */
function quarterMeans(figures: number[]): number[] {
  const quarter = Math.floor(figures.length / 4);
  if (quarter === 0) return [];
  return [0, 1, 2, 3].map((part) => {
    const values = figures.slice(part * quarter, part === 3 ? undefined : (part + 1) * quarter);
    return values.reduce((total, figure) => total + figure, 0) / values.length;
  });
}
