import { Injectable, type OnModuleInit } from '@nestjs/common';
import { makeRoom } from '../infra/make-room.js';
import { RedisConnections } from '../infra/redis/index.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import { ClosedSessions } from './closed-sessions.js';
import { isToken, sessionKey, Sessions } from './sessions.js';

/** How long a session is believed in, where the word that it was closed is lost. */
const TTL_MS = 10_000;
const MAX_SESSIONS = 50_000;

/**
 * Sessions that this process has found lately. For answers that are asked for again and again and change nothing: whatever does something
 * asks Redis.
 */
@Injectable()
export class RecentSessions implements OnModuleInit {
  private readonly known = new Map<string, { user: AuthenticatedUser; untilMs: number }>();

  constructor(
    private readonly sessions: Sessions,
    private readonly closed: ClosedSessions,
    private readonly redis: RedisConnections,
  ) {}

  onModuleInit(): void {
    this.closed.listen((key) => this.known.delete(key));
    // Whatever was said while the connection was away is unknown.
    this.redis.subscriber.on('ready', () => this.forgetAll());
  }

  /** The user of a session, as `Sessions.find` answers; asked again after ten seconds, or once the session was closed. */
  async find(token: string): Promise<AuthenticatedUser | null> {
    if (!isToken(token)) return null;
    const key = sessionKey(token);
    const recent = this.known.get(key);
    if (recent && Date.now() < recent.untilMs) return recent.user;
    const user = await this.sessions.find(token);
    this.known.delete(key);
    if (user) this.remember(key, user);
    return user;
  }

  /** Forgets one that was found wanting. */
  forget(token: string): void {
    this.known.delete(sessionKey(token));
  }

  /** Forgets all: for when Redis has lost what it knew, and sessions with it. */
  forgetAll(): void {
    this.known.clear();
  }

  private remember(key: string, user: AuthenticatedUser): void {
    makeRoom(this.known, MAX_SESSIONS);
    this.known.set(key, { user, untilMs: Date.now() + TTL_MS });
  }
}
