import { Injectable, Logger } from '@nestjs/common';
import { ExecutionError, Redlock, ResourceLockedError } from '@sesamecare-oss/redlock';
import { Settings } from '../../config/index.js';
import { RedisConnections } from '../redis/index.js';

const LOCK_MS = 10_000;

/** What became of work that only one process at a time should do. */
export type Exclusive<T> = { outcome: 'done'; value: T } | { outcome: 'busy' };

/**
 * Lets one process at a time do a scheduled job: owner token, expiry and automatic extension come from the Redlock library,
 * over one Redis, or over the majority of LOCK_REDIS_URLS. The lock only saves double work: nothing that must hold rests on it,
 * because a paused holder can wake up after its lock has passed on
 * (see Kleppmann, "How to do distributed locking", 2016).
 */
@Injectable()
export class LeaderLock {
  private readonly logger = new Logger('Lock');
  private readonly redlock: Redlock;

  constructor(settings: Settings, connections: RedisConnections) {
    const nodes = settings.LOCK_REDIS_URLS?.map((url, index) =>
      connections.connectTo(url, `lock-${index + 1}`, { commandTimeout: 1000, maxRetriesPerRequest: 1 }),
    );
    this.redlock = new Redlock(nodes ?? [connections.work], { retryCount: 0, automaticExtensionThreshold: LOCK_MS / 2 });
    this.redlock.on('error', (error: unknown) => {
      if (!(error instanceof ResourceLockedError)) this.logger.debug({ reason: String(error), msg: 'a lock node did not answer' });
    });
  }

  /**
   * Runs `work` if nobody else holds the lock `name`, else answers `busy` at once.
   * `work` gets a function that says whether the lock is still ours.
   * @throws whatever `work` throws
   */
  async runExclusive<T>(name: string, work: (stillOurs: () => boolean) => Promise<T>): Promise<Exclusive<T>> {
    const failed: { error?: unknown } = {};
    try {
      const value = await this.redlock.using([`seckill:lock:${name}`], LOCK_MS, async (signal) => {
        try {
          return await work(() => !signal.aborted);
        } catch (error) {
          failed.error = error;
          throw error;
        }
      });
      return { outcome: 'done', value };
    } catch (error) {
      if ('error' in failed) throw failed.error;
      if (error instanceof ExecutionError) return { outcome: 'busy' };
      throw error;
    }
  }
}
