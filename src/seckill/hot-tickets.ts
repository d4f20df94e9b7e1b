import { Injectable, type OnModuleInit } from '@nestjs/common';
import { bearerToken, isToken, RecentSessions, Sessions, unauthenticated, type AuthenticatedUser } from '../auth/index.js';
import { DomainError } from '../infra/errors.js';
import { HotRoutes, isIdempotencyKey, type HotAnswer, type HotCall } from '../infra/http/index.js';
import { AdmissionService } from './admission.service.js';
import { plainBasket } from './dto/join.dto.js';
import type { BasketLine } from './seckill.scripts.js';
import { joinedHeaders, ticketHeaders } from './ticket-headers.js';
import { TicketService } from './ticket.service.js';

const JOIN = /^\/api\/sales\/([1-9]\d{0,18})\/tickets$/;
const TICKET = /^\/api\/sales\/([1-9]\d{0,18})\/ticket$/;

/**
 * The two calls of a crowd, past Nest's pipeline: what their controllers and the decorators on them say, done by hand and in the same
 * order, for calls in which there is nothing to find fault with. A refusal that this process knows already comes before the session is
 * looked up, so that it costs Redis nothing.
 */
@Injectable()
export class HotTickets implements OnModuleInit {
  constructor(
    private readonly routes: HotRoutes,
    private readonly sessions: Sessions,
    private readonly recent: RecentSessions,
    private readonly admission: AdmissionService,
    private readonly tickets: TicketService,
  ) {}

  onModuleInit(): void {
    this.routes.add(
      { method: 'POST', pattern: JOIN, handle: (call) => this.join(call) },
      { method: 'GET', pattern: TICKET, handle: (call) => this.find(call) },
    );
  }

  private join(call: HotCall): Promise<HotAnswer | DomainError> | DomainError | null {
    const basket = plainBasket(call.body);
    const key = call.headers['idempotency-key'];
    if (basket === null || (key !== undefined && !isIdempotencyKey(key))) return null;
    const token = tokenOf(call);
    // Who repeats a call may have got the last unit with it.
    const refusal = key === undefined ? this.admission.refusalAtHand(call.target, basket) : null;
    return refusal ?? this.admit(token, call.target, basket, key);
  }

  private async admit(token: string, saleId: string, basket: BasketLine[], key: string | undefined): Promise<HotAnswer> {
    const found = await this.sessions.find(token);
    if (found === null) this.recent.forget(token);
    const body = await this.admission.join(signedIn(found), saleId, basket, key);
    return { status: 202, headers: joinedHeaders(saleId, body), body };
  }

  private async find(call: HotCall): Promise<HotAnswer> {
    const token = tokenOf(call);
    const user = this.recent.atHand(token) ?? signedIn(await this.recent.find(token));
    try {
      const body = await this.tickets.find(user.id, call.target);
      return { status: 200, headers: ticketHeaders(body), body };
    } catch (error) {
      this.doubt(error, token);
      throw error;
    }
  }

  /** Where Redis has lost a ticket or a whole sale, it may have lost the session, too. */
  private doubt(error: unknown, token: string): void {
    if (!(error instanceof DomainError)) return;
    if (error.code === 'NOT_LOADED') this.recent.forgetAll();
    else if (error.code === 'NO_TICKET') this.recent.forget(token);
  }
}

/** @throws DomainError UNAUTHENTICATED for what can't be a token */
function tokenOf(call: HotCall): string {
  const token = bearerToken(call);
  if (token === null || !isToken(token)) throw unauthenticated();
  return token;
}

function signedIn(user: AuthenticatedUser | null): AuthenticatedUser {
  if (user === null) throw unauthenticated();
  return user;
}
