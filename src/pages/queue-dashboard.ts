import { createBullBoard } from '@bull-board/api';
import { BullAdapter } from '@bull-board/api/bullAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { getQueueToken } from '@nestjs/bull';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { Queue } from 'bull';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { Sessions, unauthenticated } from '../auth/index.js';
import { DomainError } from '../infra/errors.js';
import { sendProblem, toDomainError } from '../infra/http/index.js';
import { EXPIRY_QUEUE } from '../order/index.js';
import { DRAIN_QUEUE } from '../seckill/index.js';
import { QUEUES_PATH, queueToken } from './queue-cookie.js';

/** Bull's dashboard of the work signals, for operators who came by the console. */
@Injectable()
export class QueueDashboard implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly modules: ModuleRef,
    private readonly sessions: Sessions,
  ) {}

  onModuleInit(): void {
    // The command line builds the same modules without a server.
    const fastify = this.host.httpAdapter?.getInstance<FastifyInstance>();
    if (!fastify) return;
    const board = new FastifyAdapter().setBasePath(QUEUES_PATH);
    const queues = [DRAIN_QUEUE, EXPIRY_QUEUE].map((name) => new BullAdapter(this.modules.get<Queue>(getQueueToken(name), { strict: false })));
    createBullBoard({ queues, serverAdapter: board, options: { uiConfig: { boardTitle: 'Seckill queues' } } });
    // A scope of its own, so that the check holds for all the dashboard has and for nothing else.
    void fastify.register(
      async (scope) => {
        scope.addHook('onRequest', (request, reply) => this.admit(request, reply));
        scope.addHook('onSend', async (_request, _reply, payload) => withoutForeignFonts(payload));
        await scope.register(board.registerPlugin());
      },
      { prefix: QUEUES_PATH },
    );
  }

  /** The dashboard has an error handler of its own, so a refusal is answered here. */
  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await this.check(request);
    } catch (error) {
      sendProblem(reply, toDomainError(error), request.id);
    }
  }

  /** @throws DomainError UNAUTHENTICATED, FORBIDDEN */
  private async check({ method, headers }: FastifyRequest): Promise<void> {
    const token = queueToken(headers);
    const user = token === null ? null : await this.sessions.find(token);
    if (user === null) throw unauthenticated();
    if (user.role !== 'operator') throw new DomainError('FORBIDDEN', 'Only operators may do this.');
    if (method !== 'GET' && method !== 'HEAD' && isFromElsewhere(headers)) throw new DomainError('FORBIDDEN', 'The dashboard takes orders from its own pages only.');
  }
}

/** Beside the cookie's SameSite, which lets other services of the same site through. Browsers that don't say the one say the other. */
function isFromElsewhere({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site !== 'same-origin';
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}

/** The page asks another host for its fonts, which the content security policy refuses, and which an operator's browser may not reach. */
const withoutForeignFonts = (payload: unknown): unknown => (typeof payload === 'string' ? payload.replace(/<link href="https:\/\/fonts\.[^>]*>/g, '') : payload);
