import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { isDeadlock, isLockTimeout } from './mysql-errors.js';

const MAX_ATTEMPTS = 6;
/** Who has waited for a lock in vain has waited long, and a connection with it. */
const MAX_WAITS = 2;

/**
 * Runs `work` in one READ COMMITTED transaction and repeats the whole of it on a deadlock (1213), at most six times with growing, jittered
 * pauses, and on a lock timeout (1205) once. `work` must therefore bear a repeat.
 * @throws whatever `work` throws, and the last deadlock or lock timeout when all attempts met one
 */
export async function inTransaction<T>(dataSource: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await dataSource.transaction('READ COMMITTED', work);
    } catch (error) {
      const attempts = isDeadlock(error) ? MAX_ATTEMPTS : isLockTimeout(error) ? MAX_WAITS : 1;
      if (attempt >= attempts) throw error;
      await delay(Math.random() * 10 * 2 ** attempt);
    }
  }
}
