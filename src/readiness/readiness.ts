import { Injectable, Logger } from '@nestjs/common';
import { SaleReader, type Sale } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { reasonOf } from '../infra/errors.js';
import { within } from '../infra/within.js';
import { Clocks } from './checks/clocks.js';
import { LastRehearsal } from './checks/last-rehearsal.js';
import { RedisKeeping } from './checks/redis-keeping.js';
import { Roles } from './checks/roles.js';
import { Tokens } from './checks/tokens.js';
import type { CheckName, Finding } from './finding.js';
import type { ReadinessCheckView, ReadinessView } from './readiness.view.js';

const PATIENCE_MS = 4000;

/** Looks whether all is ready for a sale to open. */
@Injectable()
export class Readiness {
  private readonly logger = new Logger('Readiness');
  private readonly checks: Record<CheckName, (sale: Sale) => Promise<Finding>>;

  constructor(
    private readonly sales: SaleReader,
    private readonly clock: RedisClock,
    clocks: Clocks,
    tokens: Tokens,
    keeping: RedisKeeping,
    roles: Roles,
    rehearsal: LastRehearsal,
  ) {
    this.checks = {
      clock_redis: () => clocks.ofRedis(),
      clock_mysql: () => clocks.ofMysql(),
      tokens_loaded: (sale) => tokens.look(sale),
      eviction_policy: () => keeping.eviction(),
      persistence: () => keeping.persistence(),
      worker_alive: () => roles.alive('worker'),
      scheduler_alive: () => roles.alive('scheduler'),
      last_rehearsal: () => rehearsal.look(),
    };
  }

  /** @throws DomainError SALE_NOT_FOUND */
  async of(saleId: string): Promise<ReadinessView> {
    const sale = await this.sales.get(saleId);
    const names = Object.keys(this.checks) as CheckName[];
    const checks = await Promise.all(names.map((name) => this.check(name, sale)));
    return { saleId: sale.id, ready: checks.every(({ status }) => status !== 'failed'), checkedAt: new Date(this.clock.nowMs()).toISOString(), checks };
  }

  /** What can't be looked at is not ready. */
  private async check(name: CheckName, sale: Sale): Promise<ReadinessCheckView> {
    try {
      return { name, ...(await within(PATIENCE_MS, this.checks[name](sale), () => new Error('no answer in time'))) };
    } catch (error) {
      this.logger.warn({ saleId: sale.id, check: name, reason: reasonOf(error), msg: 'could not be checked' });
      return { name, status: 'failed', message: 'This could not be checked: a server did not answer as it should. The log says more.', figures: {} };
    }
  }
}
