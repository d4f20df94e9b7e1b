import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RedisConnections } from '../infra/redis/index.js';
import { ShortCache } from '../infra/short-cache.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import { ClosedSessions } from './closed-sessions.js';
import { sessionKey, Sessions } from './sessions.js';

/** How long a session is believed in, where the word that it was closed is lost. */
const TTL_MS = 10_000;
const MAX_SESSIONS = 50_000;

/**
 * Sessions that this process has found lately. For answers that are asked for again and again and change nothing: whatever does something
 * asks Redis. A session that is closed or forgotten while it is being looked up is not remembered: the cache drops the lookup with it.
 */
@Injectable()
export class RecentSessions implements OnModuleInit {
  private readonly known = new ShortCache<AuthenticatedUser | null>(TTL_MS, MAX_SESSIONS);

  constructor(
    private readonly sessions: Sessions,
    private readonly closed: ClosedSessions,
    private readonly redis: RedisConnections,
  ) {}

  onModuleInit(): void {
    this.closed.listen((key) => this.known.forget(key));
    // Whatever was said while the connection was away is unknown.
    this.redis.subscriber.on('ready', () => this.forgetAll());
  }

  /** The user of a session, as `Sessions.find` answers; asked again after ten seconds, or once the session was closed. */
  find(token: string): Promise<AuthenticatedUser | null> {
    const key = sessionKey(token);
    return this.known.get(key, () => this.look(token, key));
  }

  /** The same at once, of a session that is remembered; undefined for any other. */
  atHand(token: string): AuthenticatedUser | null | undefined {
    return this.known.atHand(sessionKey(token));
  }

  private async look(token: string, key: string): Promise<AuthenticatedUser | null> {
    const user = await this.sessions.find(token);
    // Tokens that somebody makes up must not push out those that are good.
    if (user === null) this.known.forget(key);
    return user;
  }

  /** Ends a session as `Sessions.close` does. This process doesn't wait for the word that it sends to all, which may be late or lost. */
  async close(token: string): Promise<void> {
    try {
      await this.sessions.close(token);
    } finally {
      this.forget(token);
    }
  }

  /** Forgets one that was found wanting. */
  forget(token: string): void {
    this.known.forget(sessionKey(token));
  }

  /** Forgets all: for when Redis has lost what it knew, and sessions with it. */
  forgetAll(): void {
    this.known.clear();
  }
}
