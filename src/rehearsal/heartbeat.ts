import { Logger } from '@nestjs/common';
import { reasonOf } from '../infra/errors.js';
import type { Held, RehearsalProgress, Rehearsals } from './rehearsals.js';

const EVERY_MS = 1000;

/** Shows while a rehearsal is in hand that its runner lives, and how far it has come: about once a second. */
export class Heartbeat {
  private readonly logger = new Logger('Rehearsal');
  private readonly lost = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private current: Promise<void> | undefined;

  constructor(
    private readonly rehearsals: Rehearsals,
    private readonly held: Held,
    private readonly progress: RehearsalProgress,
  ) {
    this.timer = setInterval(() => void (this.current ??= this.beat()), EVERY_MS);
  }

  /** Aborted once somebody else has the rehearsal in hand. */
  get lostSignal(): AbortSignal {
    return this.lost.signal;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.current;
  }

  private async beat(): Promise<void> {
    try {
      const isOurs = await this.rehearsals.note(this.held, this.progress);
      if (!isOurs) this.lost.abort(new Error('the rehearsal was taken over: its process had not been seen for too long'));
    } catch (error) {
      this.logger.warn({ rehearsalId: this.held.id, reason: reasonOf(error), msg: 'progress not written' });
    } finally {
      this.current = undefined;
    }
  }
}
