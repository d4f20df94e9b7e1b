import { Injectable } from '@nestjs/common';
import { RedisClock } from '../../infra/clock/index.js';
import { Rehearsals } from '../../rehearsal/index.js';
import type { Finding } from '../finding.js';

const DAY_MS = 86_400_000;
const FRESH_DAYS = 7;

/** Whether the service was rehearsed lately, and came through. Never a failure: a sale may open without. */
@Injectable()
export class LastRehearsal {
  constructor(
    private readonly rehearsals: Rehearsals,
    private readonly clock: RedisClock,
  ) {}

  async look(): Promise<Finding> {
    const last = (await this.rehearsals.newest()).find(({ state }) => state !== 'running');
    if (!last) return { status: 'warning', message: 'No rehearsal has come to its end yet.', figures: {} };
    const at = last.finishedAt ?? last.startedAt;
    const figures = { id: last.id, shoppers: last.shoppers, stock: last.stock, finishedAt: at.toISOString() };
    if (last.state === 'failed') return { status: 'warning', message: `The last rehearsal has failed: ${last.reason ?? 'nobody knows why'}`, figures };
    if (this.clock.nowMs() - at.getTime() > FRESH_DAYS * DAY_MS) return { status: 'warning', message: `The last rehearsal is more than ${FRESH_DAYS} days old.`, figures };
    return { status: 'ok', message: 'The last rehearsal has passed.', figures };
  }
}
