import { Injectable } from '@nestjs/common';
import { hash, randomBytes } from 'node:crypto';
import { Settings } from '../config/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { RedisConnections, type RedisClient } from '../infra/redis/index.js';
import { parseUser, type AuthenticatedUser } from './authenticated-user.js';

const TOKEN_BYTES = 32;
/** On which the keys of sessions that were closed are said to all processes. */
export const CLOSED_CHANNEL = 'seckill:session-closed';
/** 256 bits in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export interface Session {
  token: string;
  expiresAt: Date;
}

/**
 * Who is signed in: Redis holds the user under the hash of the token, so that whoever reads Redis can't take a session over.
 * The session expires on its own; nothing else ends it but `close`.
 */
@Injectable()
export class Sessions {
  constructor(
    private readonly redis: RedisConnections,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
  ) {}

  /** Opens a session with a new token. The token is not kept anywhere and must not be logged. */
  open(user: AuthenticatedUser): Promise<Session> {
    return this.store(this.redis.request, user);
  }

  /** Opens a session for each user, in their order, all on their way at once: for batches of some thousand. */
  openAll(users: readonly AuthenticatedUser[]): Promise<(Session & { user: AuthenticatedUser })[]> {
    return Promise.all(users.map(async (user) => ({ user, ...(await this.store(this.redis.work, user)) })));
  }

  /** The user of a session, by one GET; null for a token that is malformed, unknown or expired, and for a value that can't be read. */
  async find(token: string): Promise<AuthenticatedUser | null> {
    if (!isToken(token)) return null;
    const json = await this.redis.request.get(sessionKey(token));
    return json === null ? null : parseUser(json);
  }

  /** Which of these tokens still belong to a session: asked all at once, in the background. */
  async areOpen(tokens: readonly string[]): Promise<boolean[]> {
    return (await Promise.all(tokens.map((token) => this.redis.work.exists(sessionKey(token))))).map((found) => found === 1);
  }

  /** Ends a session; ending it twice is no fault. */
  async close(token: string): Promise<void> {
    const key = sessionKey(token);
    await this.redis.request.del(key);
    await this.redis.request.publish(CLOSED_CHANNEL, key);
  }

  private async store(client: RedisClient, { id, username, role }: AuthenticatedUser): Promise<Session> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const ttlSeconds = this.settings.SESSION_TTL_SECONDS;
    const expiresAt = new Date(this.clock.nowMs() + ttlSeconds * 1000);
    await client.set(sessionKey(token), JSON.stringify({ id, username, role }), 'EX', ttlSeconds);
    return { token, expiresAt };
  }
}

/** Whether this may be a token at all. */
export const isToken = (token: string): boolean => TOKEN.test(token);

/** Where the session of a token is kept. */
export const sessionKey = (token: string): string => `seckill:session:${hash('sha256', token)}`;
