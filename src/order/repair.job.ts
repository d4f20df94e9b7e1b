import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Not, Repository } from 'typeorm';
import { reasonOf } from '../infra/errors.js';
import { NO_SHADOW, Preloader, Sale } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { LeaderJob, LeaderLock } from '../infra/lock/index.js';
import { Metrics } from '../infra/metrics/index.js';
import { ProofService } from './proof.service.js';
import { stillOdd } from './token-proof.js';
import { TokenRepair, type OddFinding } from './token-repair.js';

const EVERY_MS = 10_000;
/** From so many odd tokens on (a whole list was lost) building the state anew is quicker than mending them one by one. */
const MANY = 200;

/**
 * Proves every running sale (but a shadow sale, whose rehearsal shall see what is odd) and mends what is odd, but only what two passes have found odd in the same way: a token that is merely on
 * the move is never touched.
 */
@Injectable()
export class RepairJob implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Repair');
  private readonly job: LeaderJob;
  private suspects = new Map<string, OddFinding[]>();

  constructor(
    @InjectRepository(Sale) private readonly sales: Repository<Sale>,
    private readonly proof: ProofService,
    private readonly repair: TokenRepair,
    private readonly preloader: Preloader,
    private readonly clock: RedisClock,
    private readonly metrics: Metrics,
    lock: LeaderLock,
  ) {
    this.job = new LeaderJob('repair', lock, (stillOurs) => this.repairAll(stillOurs));
  }

  @Interval(EVERY_MS)
  run(): Promise<void> {
    return this.job.run();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.finish();
  }

  private async repairAll(stillOurs: () => boolean): Promise<void> {
    const open = await this.sales.find({ where: { stage: Not('draft'), endsAt: MoreThan(new Date(this.clock.nowMs())), ...NO_SHADOW }, relations: { items: { goods: true } } });
    const seen = new Map<string, OddFinding[]>();
    for (const sale of open.filter((candidate) => this.preloader.isDue(candidate))) {
      if (!stillOurs()) return;
      try {
        seen.set(sale.id, await this.check(sale));
      } catch (error) {
        this.logger.warn({ saleId: sale.id, reason: reasonOf(error), msg: 'sale not checked' });
      }
    }
    this.suspects = seen;
  }

  /** Mends what was odd in the last pass and still is; answers what is odd now. */
  private async check(sale: Sale): Promise<OddFinding[]> {
    const proof = await this.proof.prove(sale.id);
    // Nothing to compare with: the preload builds the whole state.
    if (!proof.loaded) return [];
    const odd = proof.items.flatMap((item) => item.odd.map((token) => ({ ...token, itemId: item.itemId })));
    const before = this.suspects.get(sale.id) ?? [];
    const twice = proof.items.flatMap(({ itemId }) => {
      const ofItem = (findings: OddFinding[]): OddFinding[] => findings.filter((finding) => finding.itemId === itemId);
      return stillOdd(ofItem(before), ofItem(odd));
    });
    if (twice.length > MANY) {
      await this.preloader.renew(sale.id, `${twice.length} odd tokens`);
    } else if (twice.length > 0) {
      const repairs = await this.repair.mend(sale, twice);
      for (const { cause } of repairs) this.metrics.repairs.inc({ kind: cause });
    }
    return odd;
  }
}
