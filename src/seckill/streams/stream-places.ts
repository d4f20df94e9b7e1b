import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/index.js';
import { DomainError } from '../../infra/errors.js';

const FULL_RETRY_MS = 5000;

/** How many streams this process may hold, and how many of them one shopper. */
@Injectable()
export class StreamPlaces {
  private readonly byUser = new Map<string, number>();
  private taken = 0;

  constructor(private readonly settings: Settings) {}

  /** @throws DomainError TOO_MANY_REQUESTS when the shopper has enough, UNAVAILABLE when the process has */
  take(userId: string): void {
    const own = this.byUser.get(userId) ?? 0;
    if (own >= this.settings.STREAMS_PER_SHOPPER) {
      throw new DomainError('TOO_MANY_REQUESTS', `You have ${own} open ${own === 1 ? 'stream' : 'streams'} already; close one first.`, {}, { retryAfterMs: FULL_RETRY_MS });
    }
    if (this.taken >= this.settings.STREAMS_MAX) {
      throw new DomainError('UNAVAILABLE', 'No more streams can be opened here; ask for the ticket now and then instead.', {}, { retryAfterMs: FULL_RETRY_MS });
    }
    this.byUser.set(userId, own + 1);
    this.taken += 1;
  }

  free(userId: string): void {
    const own = this.byUser.get(userId) ?? 0;
    if (own > 1) this.byUser.set(userId, own - 1);
    else this.byUser.delete(userId);
    this.taken -= 1;
  }
}
