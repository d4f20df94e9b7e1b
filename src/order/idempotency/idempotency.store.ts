import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RedisClock } from '../../infra/clock/index.js';
import { date, execute, isDuplicateKey, nullable, select, text, type Row } from '../../infra/database/index.js';

/** How long an answer is kept. */
const KEPT_MS = 24 * 3600 * 1000;
/** A call that has not ended by then died with its process: the next one with its key runs in its place. */
const RUNNING_MS = 60_000;
const REMOVED_AT_ONCE = 1000;

/** One call of one user, by the digests of its key and of itself. */
export interface KeyedCall {
  userId: string;
  keyDigest: string;
  callDigest: string;
}

export type Begun = { outcome: 'first' } | { outcome: 'repeated'; answer: string } | { outcome: 'running' } | { outcome: 'reused' };

/** Keeps the first answers to calls with an idempotency key, per user, for a day. */
@Injectable()
export class IdempotencyStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
  ) {}

  /** Whether the call is the first with its key; the caller then does it, and must `finish`, `release` or `forget` it. Index: PRIMARY. */
  async begin(call: KeyedCall): Promise<Begun> {
    const nowMs = this.clock.nowMs();
    if (await this.insert(call, nowMs)) return { outcome: 'first' };
    const [row] = await select(
      this.dataSource,
      'SELECT call_digest, answer, running_until, created_at FROM idempotency_keys WHERE user_id = ? AND key_digest = ?',
      [call.userId, call.keyDigest],
    );
    return row ? this.judge(call, row, nowMs) : { outcome: 'running' };
  }

  async finish({ userId, keyDigest }: KeyedCall, answer: string): Promise<void> {
    await execute(this.dataSource, 'UPDATE idempotency_keys SET answer = ? WHERE user_id = ? AND key_digest = ?', [answer, userId, keyDigest]);
  }

  /** The call is done, and its answer is not to be kept: the same call with its key is done anew, another one is refused. */
  async release({ userId, keyDigest }: KeyedCall): Promise<void> {
    await execute(this.dataSource, 'UPDATE idempotency_keys SET running_until = ? WHERE user_id = ? AND key_digest = ?', [new Date(0), userId, keyDigest]);
  }

  /** The call came to nothing: the next one with its key is a first one. */
  async forget({ userId, keyDigest }: KeyedCall): Promise<void> {
    await execute(this.dataSource, 'DELETE FROM idempotency_keys WHERE user_id = ? AND key_digest = ?', [userId, keyDigest]);
  }

  /** Removes what is older than a day; answers how many. Index: ix_idempotency_keys_age. */
  removeOld(): Promise<number> {
    return execute(this.dataSource, `DELETE FROM idempotency_keys WHERE created_at < ? LIMIT ${REMOVED_AT_ONCE}`, [new Date(this.clock.nowMs() - KEPT_MS)]);
  }

  private async insert({ userId, keyDigest, callDigest }: KeyedCall, nowMs: number): Promise<boolean> {
    try {
      await execute(
        this.dataSource,
        'INSERT INTO idempotency_keys (user_id, key_digest, call_digest, running_until, created_at) VALUES (?, ?, ?, ?, ?)',
        [userId, keyDigest, callDigest, new Date(nowMs + RUNNING_MS), new Date(nowMs)],
      );
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  private async judge(call: KeyedCall, row: Row, nowMs: number): Promise<Begun> {
    if (date(row, 'created_at').getTime() < nowMs - KEPT_MS) return this.takeOver(call, row, nowMs);
    if (text(row, 'call_digest') !== call.callDigest) return { outcome: 'reused' };
    const answer = nullable(text, row, 'answer');
    if (answer !== null) return { outcome: 'repeated', answer };
    return date(row, 'running_until').getTime() < nowMs ? this.takeOver(call, row, nowMs) : { outcome: 'running' };
  }

  /** Of several that find the same old row, one gets it. */
  private async takeOver({ userId, keyDigest, callDigest }: KeyedCall, old: Row, nowMs: number): Promise<Begun> {
    const taken = await execute(
      this.dataSource,
      `UPDATE idempotency_keys SET call_digest = ?, answer = NULL, running_until = ?, created_at = ?
        WHERE user_id = ? AND key_digest = ? AND running_until = ?`,
      [callDigest, new Date(nowMs + RUNNING_MS), new Date(nowMs), userId, keyDigest, date(old, 'running_until')],
    );
    return taken === 1 ? { outcome: 'first' } : { outcome: 'running' };
  }
}
