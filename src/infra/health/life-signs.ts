import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { ProcessRole } from '../../config/index.js';
import { RedisClock } from '../clock/index.js';
import { reasonOf } from '../errors.js';
import { RedisConnections } from '../redis/index.js';
import { within } from '../within.js';

const EVERY_MS = 2000;
/** Who has said nothing for so long is not counted: two signs may be lost. Nor is a sign from further ahead, given by a clock that was wrong. */
const ALIVE_MS = 7000;
const KEPT_SECONDS = 60;

/** Whether a role can do its work in this process just now. What it throws is the reason why not. */
export type Probe = () => Promise<void> | void;

/** sorted set: process → when it last gave a sign, Redis time in milliseconds */
const keyOf = (role: ProcessRole): string => `seckill:alive:${role}`;

/**
 * Says every two seconds which roles of this process can do their work, where every other process can read it. A sign is given only after
 * the role's probe has come through, so one that runs but can't work falls silent.
 */
@Injectable()
export class LifeSigns implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('LifeSigns');
  private readonly processId = randomUUID();
  private readonly probes = new Map<ProcessRole, Probe>();
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> | undefined;

  constructor(
    private readonly redis: RedisConnections,
    private readonly clock: RedisClock,
  ) {}

  /** From now on (or from the start on) the process speaks for this role. */
  speakFor(role: ProcessRole, probe: Probe): void {
    this.probes.set(role, probe);
  }

  /** How many processes can do the work of a role, as far as they have said so lately. */
  async count(role: ProcessRole): Promise<number> {
    const nowMs = this.clock.nowMs();
    return this.redis.work.zcount(keyOf(role), nowMs - ALIVE_MS, nowMs + ALIVE_MS);
  }

  onApplicationBootstrap(): void {
    if (this.probes.size === 0) return;
    this.timer = setInterval(() => void (this.current ??= this.giveSigns()), EVERY_MS);
    this.current = this.giveSigns();
  }

  /** A process that stops says so. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.current;
    await Promise.all([...this.probes.keys()].map((role) => this.redis.work.zrem(keyOf(role), this.processId))).catch((error: unknown) =>
      this.logger.warn({ reason: reasonOf(error), msg: 'not signed off; it is forgotten soon' }),
    );
  }

  private async giveSigns(): Promise<void> {
    await Promise.all([...this.probes].map(([role, probe]) => this.giveSign(role, probe)));
    this.current = undefined;
  }

  private async giveSign(role: ProcessRole, probe: Probe): Promise<void> {
    try {
      await within(EVERY_MS, Promise.resolve(probe()), () => new Error('its probe does not come back'));
      await this.write(keyOf(role), this.clock.nowMs());
    } catch (error) {
      this.logger.warn({ role, reason: reasonOf(error), msg: 'can not do its work' });
    }
  }

  /** What counts no more, or not yet, goes. */
  private async write(key: string, nowMs: number): Promise<void> {
    const sign = this.redis.work.multi().zadd(key, nowMs, this.processId);
    await sign.zremrangebyscore(key, '-inf', nowMs - ALIVE_MS).zremrangebyscore(key, nowMs + ALIVE_MS, '+inf').expire(key, KEPT_SECONDS).exec();
  }
}
