import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentToken, OperatorOnly } from '../auth/index.js';
import { Settings } from '../config/index.js';
import { queueCookie } from './queue-cookie.js';

@ApiTags('operator')
@Controller('admin/queues/session')
@OperatorOnly()
export class QueueDashboardController {
  constructor(private readonly settings: Settings) {}

  @Post()
  @HttpCode(204)
  @ApiOperation({ summary: "Lets this browser into Bull's dashboard at /ops/queues, by a cookie, for as long as the session lasts" })
  @ApiNoContentResponse()
  enter(@CurrentToken() token: string, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): void {
    reply.header('set-cookie', queueCookie(token, this.settings.SESSION_TTL_SECONDS, request.protocol === 'https'));
  }
}
