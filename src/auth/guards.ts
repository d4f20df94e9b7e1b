import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../infra/errors.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import { Sessions } from './sessions.js';
import { bearerToken, remember, unauthenticated } from './signed-in.js';

/** Lets a request in whose token belongs to a session, at the price of one Redis GET. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly sessions: Sessions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.admit(context);
    return true;
  }

  protected async admit(context: ExecutionContext): Promise<AuthenticatedUser> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = bearerToken(request);
    const user = token === null ? null : await this.sessions.find(token);
    if (token === null || user === null) throw unauthenticated();
    remember(request, { user, token });
    return user;
  }
}

/** The same, for operators only. */
@Injectable()
export class OperatorGuard extends SessionGuard {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const user = await this.admit(context);
    if (user.role !== 'operator') throw new DomainError('FORBIDDEN', 'Only operators may do this.');
    return true;
  }
}
