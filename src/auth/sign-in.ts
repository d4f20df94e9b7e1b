import { Injectable } from '@nestjs/common';
import { Accounts } from './accounts.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import type { LoginDto, RegisterDto } from './dto/credentials.dto.js';
import type { SessionDto } from './dto/session.dto.js';
import { Sessions } from './sessions.js';

/** Opens a session for a new or a returning user. */
@Injectable()
export class SignIn {
  constructor(
    private readonly accounts: Accounts,
    private readonly sessions: Sessions,
  ) {}

  /** @throws DomainError USERNAME_TAKEN */
  async register({ username, password }: RegisterDto): Promise<SessionDto> {
    return this.openFor(await this.accounts.registerShopper(username, password));
  }

  /** @throws DomainError INVALID_CREDENTIALS */
  async login({ username, password }: LoginDto): Promise<SessionDto> {
    return this.openFor(await this.accounts.authenticate(username, password));
  }

  private async openFor(user: AuthenticatedUser): Promise<SessionDto> {
    const { token, expiresAt } = await this.sessions.open(user);
    return { user, token, expiresAt: expiresAt.toISOString() };
  }
}
