import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, LessThan, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { RedisClock } from '../infra/clock/index.js';
import { execute, isDuplicateKey } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import { Rehearsal, type RehearsalPhase } from './entities/rehearsal.entity.js';
import type { RehearsalReport } from './rehearsal-report.js';

/** What is to be rehearsed: one unit for each shopper who is quick enough. */
export interface RehearsalPlan {
  shoppers: number;
  stock: number;
}

/** How far a rehearsal has come. */
export interface RehearsalProgress {
  phase: RehearsalPhase;
  joined: number;
  decided: number;
  paid: number;
}

/** A rehearsal in the hands of this process. */
export interface Held extends RehearsalPlan {
  id: string;
  runnerId: string;
}

export type RehearsalEnd = { state: 'passed'; report: RehearsalReport } | { state: 'failed'; reason: string; report?: RehearsalReport };

const NEWEST = 20;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const REASON_LENGTH = 500;
/** A runner that has not been seen for so long has died. */
const DEAD_AFTER_MS = 15_000;

/**
 * The table of rehearsals. uq_rehearsals_running lets one run at a time, whatever process it is in; who has it in hand shows that it lives,
 * and once it doesn't, another process may take the rehearsal over, after which the former one can't write to it any more.
 */
@Injectable()
export class Rehearsals {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(Rehearsal) private readonly rehearsals: Repository<Rehearsal>,
    private readonly clock: RedisClock,
  ) {}

  /** @throws DomainError REHEARSAL_RUNNING */
  async begin({ shoppers, stock }: RehearsalPlan): Promise<Held> {
    const now = new Date(this.clock.nowMs());
    const held = { id: uuidv7(), runnerId: randomUUID(), shoppers, stock };
    try {
      await this.rehearsals.insert({ ...held, state: 'running', phase: 'preparing', joined: 0, decided: 0, paid: 0, seenAt: now, startedAt: now });
      return held;
    } catch (error) {
      if (isDuplicateKey(error)) throw new DomainError('REHEARSAL_RUNNING', 'A rehearsal is running: one at a time.');
      throw error;
    }
  }

  /** Writes down how far it has come, and that its runner lives. Answers false when somebody else has it in hand. */
  async note({ id, runnerId }: Held, { phase, joined, decided, paid }: RehearsalProgress): Promise<boolean> {
    const sql = `UPDATE rehearsals SET phase = ?, joined = ?, decided = ?, paid = ?, seen_at = ? WHERE id = ? AND runner_id = ? AND state = 'running'`;
    return (await execute(this.dataSource, sql, [phase, joined, decided, paid, new Date(this.clock.nowMs()), id, runnerId])) === 1;
  }

  /** Writes down how it ended, and how far it had come by then. */
  async finish({ id, runnerId }: Held, { joined, decided, paid }: RehearsalProgress, end: RehearsalEnd): Promise<void> {
    const reason = end.state === 'failed' ? end.reason.slice(0, REASON_LENGTH) : null;
    await execute(
      this.dataSource,
      `UPDATE rehearsals SET state = ?, phase = 'done', joined = ?, decided = ?, paid = ?, reason = ?, report = ?, finished_at = ? WHERE id = ? AND runner_id = ? AND state = 'running'`,
      [end.state, joined, decided, paid, reason, end.report ? JSON.stringify(end.report) : null, new Date(this.clock.nowMs()), id, runnerId],
    );
  }

  /** Takes over the rehearsal whose runner has died, if there is one; of several processes that try, one gets it. */
  async takeOver(): Promise<(Held & RehearsalProgress) | null> {
    const before = new Date(this.clock.nowMs() - DEAD_AFTER_MS);
    const dead = await this.rehearsals.findOneBy({ state: 'running', seenAt: LessThan(before) });
    if (!dead) return null;
    const runnerId = randomUUID();
    const sql = `UPDATE rehearsals SET runner_id = ?, seen_at = ? WHERE id = ? AND runner_id = ? AND state = 'running' AND seen_at < ?`;
    const taken = await execute(this.dataSource, sql, [runnerId, new Date(this.clock.nowMs()), dead.id, dead.runnerId, before]);
    return taken === 1 ? { ...dead, runnerId } : null;
  }

  newest(): Promise<Rehearsal[]> {
    return this.rehearsals.find({ order: { id: 'DESC' }, take: NEWEST });
  }

  /** @throws DomainError REHEARSAL_NOT_FOUND */
  async get(id: string): Promise<Rehearsal> {
    const found = UUID.test(id) ? await this.rehearsals.findOneBy({ id }) : null;
    if (!found) throw new DomainError('REHEARSAL_NOT_FOUND', `There is no rehearsal ${id}.`);
    return found;
  }
}
