import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { validateSync } from 'class-validator';
import { Repository } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { isDuplicateKey } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import type { AuthenticatedUser, UserRole } from './authenticated-user.js';
import { RegisterDto } from './dto/credentials.dto.js';
import { User } from './entities/user.entity.js';
import { Passwords } from './passwords.js';

/** Creates accounts and checks credentials. */
@Injectable()
export class Accounts {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly passwords: Passwords,
    private readonly clock: RedisClock,
  ) {}

  /** @throws DomainError USERNAME_TAKEN, also when two ask for the same name at once */
  async registerShopper(username: string, password: string): Promise<AuthenticatedUser> {
    return this.create(username, password, 'shopper');
  }

  /** @throws DomainError USERNAME_TAKEN, or VALIDATION_FAILED where the rules for new accounts are not kept */
  async createOperator(username: string, password: string): Promise<AuthenticatedUser> {
    const [fault] = validateSync(Object.assign(new RegisterDto(), { username, password }));
    if (fault) throw new DomainError('VALIDATION_FAILED', Object.values(fault.constraints ?? {}).join('; '));
    return this.create(username, password, 'operator');
  }

  /**
   * Makes sure that this operator exists with this password. May be repeated, and run by several processes at once.
   * @throws Error when the name belongs to a shopper, whose account is never made an operator's
   */
  async ensureOperator(username: string, password: string): Promise<void> {
    const user = (await this.findByName(username)) ?? (await this.insert(username, password, 'operator')) ?? (await this.findByName(username));
    if (user?.role !== 'operator') throw new Error(`The username ${username} belongs to a shopper: choose another OPERATOR_USERNAME.`);
    if (await this.passwords.matches(user.passwordHash, password)) return;
    await this.users.update({ id: user.id }, { passwordHash: await this.passwords.hash(password) });
  }

  /**
   * The user with these credentials.
   * @throws DomainError INVALID_CREDENTIALS, the same and after the same time for an unknown name and for a wrong password
   */
  async authenticate(username: string, password: string): Promise<AuthenticatedUser> {
    const user = await this.findByName(username);
    const matches = await this.passwords.matches(user?.passwordHash, password);
    if (!user || !matches) throw new DomainError('INVALID_CREDENTIALS', 'There is no user with this name and password.');
    return identityOf(user);
  }

  private async create(username: string, password: string, role: UserRole): Promise<AuthenticatedUser> {
    const user = await this.insert(username, password, role);
    if (!user) throw new DomainError('USERNAME_TAKEN', 'This username is taken.');
    return identityOf(user);
  }

  /** The new user, or null when the name is taken: the unique key decides, not a look beforehand. */
  private async insert(username: string, password: string, role: UserRole): Promise<User | null> {
    const passwordHash = await this.passwords.hash(password);
    const user = this.users.create({ username, passwordHash, role, createdAt: new Date(this.clock.nowMs()) });
    try {
      await this.users.insert(user);
      return user;
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  /** Uses uq_users_username. Its collation also takes look-alikes (`é`, full width) as equal; only upper and lower case may differ here. */
  private async findByName(username: string): Promise<User | null> {
    const user = await this.users.findOneBy({ username });
    return user?.username.toLowerCase() === username.toLowerCase() ? user : null;
  }
}

const identityOf = ({ id, username, role }: User): AuthenticatedUser => ({ id, username, role });
