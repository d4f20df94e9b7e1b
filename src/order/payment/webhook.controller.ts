import { Controller, HttpCode, Param, Post, Req, type RawBodyRequest } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiProblems } from '../../auth/index.js';
import { AnswersInTime } from '../../infra/http/index.js';
import { WebhookIntake } from './webhook-intake.js';

export class WebhookAnswer {
  @ApiProperty({ enum: [true] })
  received!: true;
}

@ApiTags('payments')
@AnswersInTime()
@Controller('payments')
export class WebhookController {
  constructor(private readonly intake: WebhookIntake) {}

  @Post(':provider/webhook')
  @HttpCode(200)
  @ApiOperation({ summary: 'Word of a payment provider, signed by it; replays and late calls are safe' })
  @ApiHeader({ name: 'Sandbox-Signature', required: false, description: 'of the sandbox: t=<epoch seconds>,v1=<hex HMAC-SHA256 of "t.body">' })
  @ApiHeader({ name: 'Stripe-Signature', required: false, description: 'of Stripe, as its library checks it' })
  @ApiOkResponse({ type: WebhookAnswer })
  @ApiProblems('INVALID_SIGNATURE', 'NOT_FOUND', 'NOT_LOADED', 'UNAVAILABLE')
  receive(@Param('provider') provider: string, @Req() request: RawBodyRequest<FastifyRequest>): Promise<WebhookAnswer> {
    return this.intake.receive(provider, request.headers, request.rawBody ?? Buffer.alloc(0));
  }
}
