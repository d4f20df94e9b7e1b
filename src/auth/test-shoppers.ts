import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { hash } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Settings } from '../config/index.js';
import { RedisClock } from '../infra/clock/index.js';
import { execute, inTransaction, isDuplicateKey, placeholders, select, text } from '../infra/database/index.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import { USERNAME } from './dto/credentials.dto.js';
import { Sessions } from './sessions.js';

/** The password of every test shopper outside production; in production nobody knows it and only the tokens open these accounts. */
export const TEST_SHOPPER_PASSWORD = 'shopper-demo';

const BATCH = 1000;
const MAX_ATTEMPTS = 5;
/** One cheap hash for all of them, and a salt by which an account is known as a test shopper. For test data only. */
const COST = { memoryCost: 64, timeCost: 1, parallelism: 1, salt: Buffer.from('test-shopper-only') };
const SALT_MARK = `$${COST.salt.toString('base64').replace(/=+$/, '')}$`;

export interface TestShoppersOptions {
  /** Usernames are `<prefix>-00001`, `<prefix>-00002`, …; `shopper` by default. */
  prefix?: string;
  /** Whether `remove` shall find them again; else they stay for good. */
  removable?: boolean;
  /** Called after each batch with the number of shoppers ready so far. */
  onProgress?: (ready: number) => void;
}

export interface ShopperToken {
  username: string;
  token: string;
}

/** Makes signed-in shoppers in bulk, for load tests. */
@Injectable()
export class TestShoppers {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sessions: Sessions,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
  ) {}

  /**
   * Yields `count` signed-in shoppers, a thousand at a time. Names are stable: a repeat takes the same accounts and opens new sessions.
   * @throws Error when a name belongs to an account that this did not make
   */
  async *create(count: number, { prefix = 'shopper', removable = false, onProgress }: TestShoppersOptions = {}): AsyncGenerator<ShopperToken[]> {
    if (!Number.isSafeInteger(count) || count < 1) throw new Error('The number of shoppers must be a positive integer.');
    if (!USERNAME.test(nameOf(prefix, count))) throw new Error(`Shoppers can not be named ${nameOf(prefix, count)}.`);
    const passwordHash = await hash(this.password(), COST);
    for (let first = 1; first <= count; first += BATCH) {
      const last = Math.min(count, first + BATCH - 1);
      const names = Array.from({ length: last - first + 1 }, (_, index) => nameOf(prefix, first + index));
      const sessions = await this.sessions.openAll(await this.accountsOf(names, passwordHash), removable ? prefix : undefined);
      yield sessions.map(({ user, token }) => ({ username: user.username, token }));
      onProgress?.(last);
    }
  }

  /**
   * Removes the shoppers that were made as removable with this prefix, their sessions and the answers kept for them; may be repeated.
   * Indexes: uq_users_username, PRIMARY of idempotency_keys.
   */
  async remove(prefix: string): Promise<void> {
    await this.sessions.closeRegistered(prefix);
    for (;;) {
      const rows = await select(
        this.dataSource,
        `SELECT id FROM users WHERE username LIKE ? AND password_hash LIKE ? LIMIT ${BATCH}`,
        [`${literally(prefix)}-%`, `%${literally(SALT_MARK)}%`],
      );
      if (rows.length === 0) return;
      const ids = rows.map((row) => text(row, 'id'));
      await execute(this.dataSource, 'DELETE FROM idempotency_keys WHERE user_id IN (?)', [ids]);
      await execute(this.dataSource, 'DELETE FROM users WHERE id IN (?)', [ids]);
    }
  }

  private password(): string {
    return this.settings.NODE_ENV === 'production' ? randomBytes(32).toString('base64url') : TEST_SHOPPER_PASSWORD;
  }

  /** The accounts with these names; makes those that don't exist. Another run that makes the same ones at once does no harm. */
  private async accountsOf(names: string[], passwordHash: string): Promise<AuthenticatedUser[]> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const known = await this.find(names);
      if (known.size === names.length) return names.flatMap((name) => known.get(name) ?? []);
      await this.insert(names.filter((name) => !known.has(name)), passwordHash);
    }
    throw new Error('The shoppers could not be created: somebody else keeps changing the same accounts.');
  }

  /** Uses uq_users_username. */
  private async find(names: string[]): Promise<Map<string, AuthenticatedUser>> {
    const rows = await select(this.dataSource, 'SELECT id, username, role, password_hash FROM users WHERE username IN (?)', [names]);
    const wanted = new Set(names);
    return new Map(
      rows.map((row) => {
        const username = text(row, 'username');
        const isOurs = wanted.has(username) && text(row, 'role') === 'shopper' && text(row, 'password_hash').includes(SALT_MARK);
        if (!isOurs) throw new Error(`The username ${username} belongs to an account that is no test shopper: choose another prefix.`);
        return [username, { id: text(row, 'id'), username, role: 'shopper' }];
      }),
    );
  }

  private async insert(names: string[], passwordHash: string): Promise<void> {
    const now = new Date(this.clock.nowMs());
    const values = names.flatMap((name) => [name, passwordHash, 'shopper', now]);
    const sql = `INSERT INTO users (username, password_hash, role, created_at) VALUES ${placeholders(names.length, 4)}`;
    try {
      await inTransaction(this.dataSource, (manager) => execute(manager, sql, values));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
}

/** For LIKE. */
const literally = (word: string): string => word.replace(/[\\%_]/g, '\\$&');

const nameOf = (prefix: string, number: number): string => `${prefix}-${String(number).padStart(5, '0')}`;
