import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { reasonOf } from '../infra/errors.js';
import { LeaderJob, LeaderLock } from '../infra/lock/index.js';
import { Dispatcher } from './dispatcher.js';
import { SaleEvents } from './sale-events.js';
import { WebhookCleaning } from './webhook-cleaning.js';

const EVERY_MS = 1000;
const CLEAN_EVERY_MS = 60_000;

/**
 * Finds what happened to sales, hands events to the endpoints, and removes what is old. Runs on every scheduler, one at a time by a lock
 * that only saves double work: keys and row locks hold what must hold.
 */
@Injectable()
export class EventsOutJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly handing: LeaderJob;
  private readonly cleaning: LeaderJob;

  constructor(sales: SaleEvents, dispatcher: Dispatcher, cleaning: WebhookCleaning, lock: LeaderLock) {
    this.handing = new LeaderJob('events-out', lock, async (stillOurs) => {
      // What can't be said of sales does not hold up the orders.
      await sales.record().catch((error: unknown) => this.logger.warn({ reason: reasonOf(error), msg: 'sales not looked at' }));
      await dispatcher.dispatch(stillOurs);
    });
    this.cleaning = new LeaderJob('webhook-cleaning', lock, (stillOurs) => cleaning.clean(stillOurs));
  }

  @Interval(EVERY_MS)
  run(): Promise<void> {
    return this.handing.run();
  }

  @Interval(CLEAN_EVERY_MS)
  clean(): Promise<void> {
    return this.cleaning.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.handing.finish(), this.cleaning.finish()]);
  }
}
