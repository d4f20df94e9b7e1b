import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual, MoreThan, Not, Repository } from 'typeorm';
import { reasonOf } from '../infra/errors.js';
import { within } from '../infra/within.js';
import { Settings } from '../config/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { LeaderJob, LeaderLock } from '../infra/lock/index.js';
import { Sale } from './entities/sale.entity.js';
import { Preloader } from './preloader.js';
import { SaleSteering } from './sale-steering.js';

const EVERY_MS = 2000;
/** How long a start waits for the first run: builds may be large, and servers away. */
const FIRST_RUN_MS = 5000;
/** So that a sale with a million units does not hold up all the others. */
const SIDE_BY_SIDE = 3;

/**
 * Keeps the Redis state of every sale that is due: builds what is missing, steers what lags behind. Runs on every scheduler, one at a
 * time by a lock that only saves double work: a build is safe in several processes at once.
 */
@Injectable()
export class PreloadJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Preload');
  private readonly job: LeaderJob;

  constructor(
    @InjectRepository(Sale) private readonly sales: Repository<Sale>,
    private readonly preloader: Preloader,
    private readonly steering: SaleSteering,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
    lock: LeaderLock,
  ) {
    this.job = new LeaderJob('preload', lock, (stillOurs) => this.keepAll(stillOurs));
  }

  /** A process that says it is ready has looked at the sales once, or left that to the scheduler that has the lock. */
  async onApplicationBootstrap(): Promise<void> {
    await within(FIRST_RUN_MS, this.run(), () => new Error('sales are still being loaded')).catch((error: unknown) =>
      this.logger.warn({ afterMs: FIRST_RUN_MS, msg: reasonOf(error) }),
    );
  }

  @Interval(EVERY_MS)
  run(): Promise<void> {
    return this.job.run();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.finish();
  }

  /** Uses ix_sales_state_start for the sales that may be due; one failure does not hold up the other sales. */
  private async keepAll(stillOurs: () => boolean): Promise<void> {
    const now = this.clock.nowMs();
    const due = await this.sales.find({
      where: {
        stage: Not('draft'),
        startsAt: LessThanOrEqual(new Date(now + this.settings.PRELOAD_LEAD_SECONDS * 1000)),
        endsAt: MoreThan(new Date(now - this.settings.RETENTION_SECONDS * 1000)),
      },
      relations: { items: { goods: true } },
    });
    const waiting = due.sort(byUrgency(now));
    const keepNext = async (): Promise<void> => {
      for (let sale = waiting.shift(); sale && stillOurs(); sale = waiting.shift()) await this.keep(sale);
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, keepNext));
  }

  private async keep(sale: Sale): Promise<void> {
    try {
      await this.preloader.preload(sale.id);
      if (await this.steering.isBehind(sale)) await this.steering.apply(sale.id);
    } catch (error) {
      this.logger.warn({ saleId: sale.id, reason: reasonOf(error), msg: 'sale not preloaded' });
    }
  }
}

/** Sales that shoppers wait for come first, small ones before large ones; those that are over come last. */
function byUrgency(nowMs: number): (a: Sale, b: Sale) => number {
  const rank = (sale: Sale): number => (sale.stage === 'ended' || sale.endsAt.getTime() <= nowMs ? 2 : sale.startsAt.getTime() > nowMs ? 1 : 0);
  const units = (sale: Sale): number => sale.items.reduce((total, item) => total + item.issued, 0);
  return (a, b) => rank(a) - rank(b) || units(a) - units(b);
}
