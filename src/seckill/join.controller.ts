import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProblems, Authenticated, CurrentUser, type AuthenticatedUser } from '../auth/index.js';
import { FaultCode, IdempotencyKey } from '../infra/http/index.js';
import { AdmissionService } from './admission.service.js';
import { JoinDto } from './dto/join.dto.js';
import { JoinedView } from './dto/ticket.view.js';
import { joinedHeaders } from './ticket-headers.js';

const TICKET_HEADER = { description: 'Where the ticket is', schema: { type: 'string' } } as const;
const RETRY_HEADER = { description: 'Ask for it after so many seconds', schema: { type: 'integer' } } as const;

@ApiTags('shopper')
@Controller('sales')
export class JoinController {
  constructor(private readonly admission: AdmissionService) {}

  @Post(':saleId/tickets')
  @ApiOperation({ summary: 'Joins a sale with a basket; the answer is a place in line, and the ticket tells what becomes of it' })
  @HttpCode(202)
  @Authenticated()
  @FaultCode('INVALID_BASKET')
  @ApiAcceptedResponse({ type: JoinedView, headers: { Location: TICKET_HEADER, 'Retry-After': RETRY_HEADER } })
  @ApiProblems('INVALID_BASKET', 'VALIDATION_FAILED', 'SALE_NOT_FOUND', 'ITEM_NOT_FOUND', 'NOT_STARTED', 'PAUSED', 'ENDED', 'SOLD_OUT')
  @ApiProblems('ALREADY_QUEUED', 'UNPAID_ORDER', 'LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED', 'NOT_LOADED', 'UNAVAILABLE')
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'a repeat of a join that was taken, with the same key within a day, gets its answer again' })
  async join(
    @CurrentUser() user: AuthenticatedUser,
    @Param('saleId') saleId: string,
    @Body() { items }: JoinDto,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JoinedView> {
    const joined = await this.admission.join(user, saleId, items, idempotencyKey);
    reply.headers(joinedHeaders(saleId, joined));
    return joined;
  }
}
