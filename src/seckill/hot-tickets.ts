import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken, isToken, RecentSessions, Sessions, unauthenticated, type AuthenticatedUser } from '../auth/index.js';
import { DomainError } from '../infra/errors.js';
import { HotRoutes, idempotencyKeyOf, sendProblem, validated } from '../infra/http/index.js';
import { AdmissionService } from './admission.service.js';
import { JoinDto, plainBasket } from './dto/join.dto.js';
import { JoinController } from './join.controller.js';
import type { BasketLine } from './seckill.scripts.js';
import { TicketController } from './ticket.controller.js';

const JOIN = /^\/api\/sales\/[1-9]\d{0,18}\/tickets$/;
const TICKET = /^\/api\/sales\/[1-9]\d{0,18}\/ticket$/;

/**
 * The two calls of a crowd, past Nest's pipeline and to the same controllers: it does by hand, in the same order, what their decorators
 * say. A refusal that this process knows already comes before the session is looked up, so that it costs Redis nothing.
 */
@Injectable()
export class HotTickets implements OnModuleInit {
  constructor(
    private readonly routes: HotRoutes,
    private readonly sessions: Sessions,
    private readonly recent: RecentSessions,
    private readonly admission: AdmissionService,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    const [joins, tickets] = [this.modules.get(JoinController), this.modules.get(TicketController)];
    this.routes.add(
      { method: 'POST', path: '/api/sales/:saleId/tickets', pattern: JOIN, faultCode: 'INVALID_BASKET', handle: (request, reply) => this.join(joins, request, reply) },
      { method: 'GET', path: '/api/sales/:saleId/ticket', pattern: TICKET, handle: (request, reply) => this.find(tickets, request, reply) },
    );
  }

  private join(joins: JoinController, request: FastifyRequest, reply: FastifyReply): unknown {
    const token = tokenOf(request);
    const basket = plainBasket(request.body);
    if (basket && request.headers['idempotency-key'] === undefined) {
      const refusal = this.admission.refusalAtHand(saleIdOf(request), basket);
      if (refusal) {
        sendProblem(reply, refusal, request.id);
        return reply;
      }
    }
    return this.admit(joins, request, reply, token, basket);
  }

  private async admit(joins: JoinController, request: FastifyRequest, reply: FastifyReply, token: string, basket: BasketLine[] | null): Promise<unknown> {
    const found = await this.sessions.find(token);
    if (found === null) this.recent.forget(token);
    const user = signedIn(found);
    const idempotencyKey = idempotencyKeyOf(request);
    // What is not plainly a basket is judged, and its fault told, by the validation of all routes.
    const body = basket ? { items: basket } : await validated(JoinDto, request.body);
    reply.status(202);
    return joins.join(user, saleIdOf(request), body, idempotencyKey, reply);
  }

  private async find(tickets: TicketController, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const token = tokenOf(request);
    const user = signedIn(await this.recent.find(token));
    try {
      return await tickets.find(user, saleIdOf(request), reply);
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
function tokenOf(request: FastifyRequest): string {
  const token = bearerToken(request);
  if (token === null || !isToken(token)) throw unauthenticated();
  return token;
}

function signedIn(user: AuthenticatedUser | null): AuthenticatedUser {
  if (user === null) throw unauthenticated();
  return user;
}

/** The address has it, since the route's pattern does. */
const saleIdOf = (request: FastifyRequest): string => (request.params as { saleId: string }).saleId;
