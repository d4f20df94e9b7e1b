import type { ShopperToken } from '../auth/index.js';
import { eachAtOnce } from './crowd/at-once.js';
import type { CrowdClient } from './crowd/crowd-client.js';
import { CrowdShopper } from './crowd/crowd-shopper.js';
import type { Tally } from './rehearsal-report.js';
import type { RehearsalProgress } from './rehearsals.js';
import type { ShadowSale } from './shadow-sales.js';

/** Every so many-th order is cancelled instead of paid. */
const CANCELLED_ONE_IN = 10;
/** Shoppers who pay or cancel at a time: each of them asks several times a second whether the payment is there. */
const FINISHING = 200;

/** Sends a crowd through a shadow sale: all join at once and follow their tickets; when everyone knows, most pay and some cancel. */
export class SaleRun {
  /**
   * @param pays whether there is a way to pay without money
   * @param progress is kept up to date meanwhile
   */
  constructor(
    private readonly client: CrowdClient,
    private readonly sale: ShadowSale,
    private readonly pays: boolean,
    private readonly tally: Tally,
    private readonly progress: RehearsalProgress,
  ) {}

  /** @throws CrowdFault, or what the client's signal was aborted with */
  async run(shoppers: readonly ShopperToken[]): Promise<void> {
    this.progress.phase = 'joining';
    await Promise.all(shoppers.map(({ token }) => this.shop(token, shoppers.length)));
    this.progress.phase = 'paying';
    await eachAtOnce(this.tally.orders, FINISHING, ({ orderId, token }, index) => this.finish(orderId, token, index));
  }

  private async shop(token: string, everyone: number): Promise<void> {
    const { tally, progress, sale } = this;
    const shopper = new CrowdShopper(this.client, token);
    const joined = await shopper.join(sale.saleId, sale.itemId);
    tally.joinMs.push(joined.tookMs);
    tally.lastJoinMs = performance.now();
    const joinedAtMs = tally.lastJoinMs - joined.tookMs;
    progress.joined += 1;
    if (progress.joined === everyone) progress.phase = 'deciding';
    if (joined.outcome === 'joined') await this.follow(shopper, token, joined.pollAfterMs);
    else this.ended(joined.code);
    tally.decidedMs.push(performance.now() - joinedAtMs);
    progress.decided += 1;
  }

  private async follow(shopper: CrowdShopper, token: string, pollAfterMs: number): Promise<void> {
    const decided = await shopper.follow(this.sale.saleId, pollAfterMs);
    if (decided.outcome === 'ended') return this.ended(decided.status);
    this.tally.orders.push({ orderId: decided.orderId, token });
    this.tally.lastOrderMs = performance.now();
  }

  private ended(how: string): void {
    if (how === 'SOLD_OUT' || how === 'sold_out') this.tally.soldOut += 1;
    else this.tally.endedOddly(how);
  }

  private async finish(orderId: string, token: string, index: number): Promise<void> {
    const shopper = new CrowdShopper(this.client, token);
    if (index % CANCELLED_ONE_IN === CANCELLED_ONE_IN - 1) {
      await shopper.cancel(orderId);
      this.tally.cancelled += 1;
    } else if (this.pays) {
      await shopper.pay(orderId);
      this.tally.paid += 1;
      this.progress.paid += 1;
    }
  }
}
