import { TestShoppers } from '../auth/index.js';
import type { Sale } from '../goods/index.js';
import { CrowdClient, CrowdShopper } from '../rehearsal/index.js';
import { print, withApplication } from './context.js';
import { CrowdProgress } from './crowd-progress.js';
import { demoSale } from './demo.command.js';
import { runningService } from './running-service.js';

export interface DemoCrowdOptions {
  shoppers: number;
  seconds: number;
}

/** Of ten orders, so many are paid and so many cancelled; the others are left to expire. */
const [PAID, CANCELLED] = [7, 2];
/** How long somebody thinks before paying or cancelling. */
const [LEAST_THOUGHT_MS, MOST_THOUGHT_MS] = [1000, 8000];

const between = (least: number, most: number): number => least + Math.random() * (most - least);

/**
 * `demo:crowd`, or `npm run demo`: shoppers arrive at the demo sale of the running service, want something, wait, and pay, cancel or forget
 * it, while one watches the pages. Ctrl-C sends them home.
 */
export async function demoCrowd({ shoppers, seconds }: DemoCrowdOptions): Promise<void> {
  await withApplication(
    async (app, settings) => {
      const address = await runningService(settings);
      const sale = await demoSale(app);
      print(`Watch it: ${address}/sales/${sale.id} for shoppers, ${address}/ops/sales/${sale.id} for operators`);
      const stopping = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort(new Error('stopped')));
      const crowd = new DemoCrowd(new CrowdClient(address, stopping.signal), sale, settings.waysToPay.includes('sandbox'));
      const shown = new CrowdProgress(shoppers, () => ({ done: crowd.gone, words: crowd.words }));
      const visits: Promise<void>[] = [];
      for await (const batch of app.get(TestShoppers).create(shoppers, { prefix: `visitor-${Date.now().toString(36)}` })) {
        for (const { token } of batch) visits.push(crowd.visit(token, between(0, seconds * 1000)));
      }
      await Promise.all(visits).finally(() => crowd.close()).catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      });
      shown.stop();
      if (!stopping.signal.aborted) return;
      print('Sent home. What they left unpaid expires by itself.');
      process.exitCode = 130;
    },
    ['api'],
  );
}

/** What the visitors of the demo do, and how many have come how far. */
class DemoCrowd {
  gone = 0;
  private readonly counts = { arrived: 0, 'in line': 0, ordered: 0, paid: 0, cancelled: 0, 'left unpaid': 0, 'turned away': 0 };

  constructor(
    private readonly client: CrowdClient,
    private readonly sale: Sale,
    private readonly pays: boolean,
  ) {}

  get words(): string {
    return Object.entries(this.counts).map(([what, visitors]) => `${visitors} ${what}`).join(', ');
  }

  async visit(token: string, arrivesAfterMs: number): Promise<void> {
    await this.client.pause(arrivesAfterMs);
    this.counts.arrived += 1;
    const shopper = new CrowdShopper(this.client, token);
    const orderId = await this.buy(shopper);
    if (orderId === null) this.counts['turned away'] += 1;
    else await this.finish(shopper, orderId);
    this.gone += 1;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Joins for any item, at the opening if it is too early. Answers the order, if it came to one. */
  private async buy(shopper: CrowdShopper): Promise<string | null> {
    const item = this.sale.items[Math.floor(Math.random() * this.sale.items.length)];
    if (!item) return null;
    for (;;) {
      const joined = await shopper.join(this.sale.id, item.id);
      if (joined.outcome === 'joined') {
        this.counts['in line'] += 1;
        const decided = await shopper.follow(this.sale.id, joined.pollAfterMs);
        this.counts['in line'] -= 1;
        return decided.outcome === 'ordered' ? decided.orderId : null;
      }
      if (joined.startsAtMs === undefined) return null;
      await this.client.pause(Math.max(0, joined.startsAtMs - Date.now()) + between(0, 1000));
    }
  }

  private async finish(shopper: CrowdShopper, orderId: string): Promise<void> {
    this.counts.ordered += 1;
    await this.client.pause(between(LEAST_THOUGHT_MS, MOST_THOUGHT_MS));
    const mood = Math.floor(Math.random() * 10);
    if (mood < PAID && this.pays) {
      await shopper.pay(orderId);
      this.counts.paid += 1;
    } else if (mood < PAID + CANCELLED) {
      await shopper.cancel(orderId);
      this.counts.cancelled += 1;
    } else {
      this.counts['left unpaid'] += 1;
    }
  }
}
