import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThanOrEqual, MoreThan, Not, Repository } from 'typeorm';
import { Settings } from '../config/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { LeaderJob, LeaderLock } from '../infra/lock/index.js';
import { Sale } from './entities/sale.entity.js';
import { Preloader } from './preloader.js';
import { SaleSteering } from './sale-steering.js';

const EVERY_MS = 2000;

/**
 * Keeps the Redis state of every sale that is due: builds what is missing, steers what lags behind. Runs on every scheduler, one at a
 * time by a lock that only saves double work: a build is safe in several processes at once.
 */
@Injectable()
export class PreloadJob implements BeforeApplicationShutdown {
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
    for (const sale of due) {
      if (!stillOurs()) return;
      try {
        await this.preloader.preload(sale.id);
        if (await this.steering.isBehind(sale)) await this.steering.apply(sale.id);
      } catch (error) {
        this.logger.warn({ saleId: sale.id, reason: error instanceof Error ? error.message : String(error), msg: 'sale not preloaded' });
      }
    }
  }
}
