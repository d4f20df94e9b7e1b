import { Controller, Delete, Get, HttpCode, Param, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProblems, Authenticated, CurrentUser, type AuthenticatedUser } from '../auth/index.js';
import { TicketView } from './dto/ticket.view.js';
import { ticketHeaders } from './ticket-headers.js';
import { TicketService } from './ticket.service.js';

@ApiTags('shopper')
@Controller('sales/:saleId/ticket')
@Authenticated()
@ApiProblems('SALE_NOT_FOUND', 'NO_TICKET', 'NOT_LOADED', 'UNAVAILABLE')
export class TicketController {
  constructor(private readonly tickets: TicketService) {}

  @Get()
  @ApiOperation({ summary: 'Where you stand in a sale' })
  @ApiOkResponse({ type: TicketView })
  async find(
    @CurrentUser() user: AuthenticatedUser,
    @Param('saleId') saleId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TicketView> {
    const ticket = await this.tickets.find(user.id, saleId);
    reply.headers(ticketHeaders(ticket));
    return ticket;
  }

  @Delete()
  @ApiOperation({ summary: 'Leaves the line, as long as no drain has the ticket' })
  @HttpCode(204)
  @ApiNoContentResponse()
  @ApiProblems('TICKET_CLAIMED')
  leave(@CurrentUser() user: AuthenticatedUser, @Param('saleId') saleId: string): Promise<void> {
    return this.tickets.leave(user.id, saleId);
  }
}
