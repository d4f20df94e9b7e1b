import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProblems, Authenticated, CurrentToken, CurrentUser, type AuthenticatedUser } from '../../auth/index.js';
import { TicketView } from '../dto/ticket.view.js';
import { STREAM_HEADERS, TicketFollowing } from './ticket-following.js';

@ApiTags('shopper')
@ApiExtraModels(TicketView)
@Controller('sales/:saleId/ticket/events')
export class TicketEventsController {
  constructor(private readonly following: TicketFollowing) {}

  @Get()
  @Authenticated()
  @ApiOperation({
    summary: 'Where you stand in a sale, as server-sent events',
    description: 'An event `ticket` whenever the status changes or the place moves, with the ticket as JSON; the stream ends with the one that ends the ticket.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'id of the last event that was seen, which is not sent again' })
  @ApiOkResponse({ description: 'The stream', content: { 'text/event-stream': { schema: { $ref: getSchemaPath(TicketView) } } } })
  @ApiNoContentResponse({ description: 'The ticket has ended, and the last event said so: nothing more comes, do not connect again' })
  @ApiProblems('SALE_NOT_FOUND', 'NO_TICKET', 'TOO_MANY_REQUESTS', 'NOT_LOADED', 'UNAVAILABLE')
  async follow(
    @CurrentUser() user: AuthenticatedUser,
    @CurrentToken() token: string,
    @Param('saleId') saleId: string,
    @Headers('last-event-id') seenId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const followed = await this.following.follow({ userId: user.id, token, saleId, seenId: seenId ?? '' }, reply);
    if (followed === 'asks') await reply.headers(STREAM_HEADERS).send();
    if (followed === 'over') await reply.status(204).header('cache-control', 'no-store').send();
  }
}
