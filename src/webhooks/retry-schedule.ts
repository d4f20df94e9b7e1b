import { Injectable } from '@nestjs/common';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

/** Pauses after the first failure, the second, and so on; when they are used up, a delivery is dead: after ten tries and some 23 hours. */
const PAUSES_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];
/** Pauses vary by a fifth either way, so that what failed together does not come back together. */
const JITTER = 0.2;

/** When a delivery that failed is tried again. */
@Injectable()
export class RetrySchedule {
  pausesMs = PAUSES_MS;

  /** The pause after this many tries, or null when there is to be no other. */
  after(attempts: number): number | null {
    const pauseMs = this.pausesMs[attempts - 1];
    return pauseMs === undefined ? null : Math.round(pauseMs * (1 - JITTER + 2 * JITTER * Math.random()));
  }
}
