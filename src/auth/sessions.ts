import { Injectable } from '@nestjs/common';
import { hash, randomBytes } from 'node:crypto';
import { Settings } from '../config/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { RedisConnections, type RedisClient } from '../infra/redis/index.js';
import { parseUser, type AuthenticatedUser } from './authenticated-user.js';

const TOKEN_BYTES = 32;
/** Sessions ended at once. */
const BATCH = 1000;
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

  /**
   * Opens a session for each user, in their order, all on their way at once: for batches of some thousand.
   * @param register under this name the sessions are noted before they are there, so that `closeRegistered` finds each of them
   */
  async openAll(users: readonly AuthenticatedUser[], register?: string): Promise<(Session & { user: AuthenticatedUser })[]> {
    const tokens = users.map(newToken);
    if (register !== undefined) await this.note(register, tokens);
    return Promise.all(users.map(async (user, index) => ({ user, ...(await this.store(this.redis.work, user, tokens[index])) })));
  }

  /** Ends the sessions noted under this name. Processes that have found one lately may believe in it for some seconds more. */
  async closeRegistered(register: string): Promise<void> {
    const key = registerKey(register);
    const sessions = await this.redis.work.smembers(key);
    for (let from = 0; from < sessions.length; from += BATCH) {
      // One by one, since in a cluster they lie on different nodes.
      await Promise.all(sessions.slice(from, from + BATCH).map((session) => this.redis.work.del(session)));
    }
    await this.redis.work.del(key);
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

  private async note(register: string, tokens: string[]): Promise<void> {
    const key = registerKey(register);
    await this.redis.work.sadd(key, tokens.map(sessionKey));
    await this.redis.work.expire(key, this.settings.SESSION_TTL_SECONDS);
  }

  private async store(client: RedisClient, { id, username, role }: AuthenticatedUser, token = newToken()): Promise<Session> {
    const ttlSeconds = this.settings.SESSION_TTL_SECONDS;
    const expiresAt = new Date(this.clock.nowMs() + ttlSeconds * 1000);
    await client.set(sessionKey(token), JSON.stringify({ id, username, role }), 'EX', ttlSeconds);
    return { token, expiresAt };
  }
}

const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

const registerKey = (register: string): string => `seckill:sessions-of:${register}`;

/** Whether this may be a token at all. */
export const isToken = (token: string): boolean => TOKEN.test(token);

/** Where the session of a token is kept. */
export const sessionKey = (token: string): string => `seckill:session:${hash('sha256', token)}`;
