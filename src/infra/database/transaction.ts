import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { isTransient } from './mysql-errors.js';

const MAX_ATTEMPTS = 6;

/**
 * Runs `work` in one READ COMMITTED transaction and repeats the whole of it on a deadlock or lock timeout (1213, 1205),
 * at most six times with growing, jittered pauses. `work` must therefore bear a repeat.
 * @throws whatever `work` throws, and the last deadlock when all attempts met one
 */
export async function inTransaction<T>(dataSource: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await dataSource.transaction('READ COMMITTED', work);
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isTransient(error)) throw error;
      await delay(Math.random() * 10 * 2 ** attempt);
    }
  }
}
