import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, CurrentUser, OperatorOnly, type AuthenticatedUser } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { DeliveriesDto, NewWebhookDto, ReplayedDto, WebhooksDto } from './dto/webhook.answers.js';
import { CreateWebhookDto, ListDeliveriesDto, ReplayDto } from './dto/webhook.requests.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { WebhookEndpoints } from './webhook-endpoints.js';

@ApiTags('operator')
@OperatorOnly()
@AnswersInTime()
@Controller('admin/webhooks')
export class WebhooksController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Registers an address that events are sent to from now on; its secret is shown this once' })
  @ApiCreatedResponse({ type: NewWebhookDto })
  @ApiProblems('VALIDATION_FAILED', 'WEBHOOK_URL_REFUSED', 'TOO_MANY_WEBHOOKS')
  create(@Body() body: CreateWebhookDto, @CurrentUser() operator: AuthenticatedUser): Promise<NewWebhookDto> {
    return this.endpoints.create(body, operator.id);
  }

  @Get()
  @ApiOperation({ summary: 'The addresses that events are sent to, with what waits for each' })
  @ApiOkResponse({ type: WebhooksDto })
  async list(): Promise<WebhooksDto> {
    return { webhooks: await this.endpoints.list() };
  }

  @Delete(':webhookId')
  @HttpCode(204)
  @ApiOperation({ summary: 'Ends all deliveries to an address' })
  @ApiNoContentResponse()
  @ApiProblems('WEBHOOK_NOT_FOUND')
  remove(@Param('webhookId') webhookId: string, @CurrentUser() operator: AuthenticatedUser): Promise<void> {
    return this.endpoints.remove(webhookId, operator.id);
  }

  @Get(':webhookId/deliveries')
  @ApiOperation({ summary: 'What was sent to an address or waits for it, newest first, 50 a page' })
  @ApiOkResponse({ type: DeliveriesDto })
  @ApiProblems('VALIDATION_FAILED', 'WEBHOOK_NOT_FOUND')
  show(@Param('webhookId') webhookId: string, @Query() query: ListDeliveriesDto): Promise<DeliveriesDto> {
    return this.deliveries.list(webhookId, query);
  }

  @Post(':webhookId/replay')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sends dead deliveries again: those named, or all' })
  @ApiBody({ type: ReplayDto, required: false })
  @ApiOkResponse({ type: ReplayedDto })
  @ApiProblems('VALIDATION_FAILED', 'WEBHOOK_NOT_FOUND')
  async replay(@Param('webhookId') webhookId: string, @Body() { deliveryIds }: ReplayDto): Promise<ReplayedDto> {
    return { replayed: await this.deliveries.replay(webhookId, deliveryIds) };
  }

  @Delete(':webhookId/deliveries/:deliveryId')
  @HttpCode(204)
  @ApiOperation({ summary: 'Gives a dead delivery up for good, so that the next of its order or sale goes out' })
  @ApiNoContentResponse()
  @ApiProblems('WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'DELIVERY_NOT_DEAD')
  drop(@Param('webhookId') webhookId: string, @Param('deliveryId') deliveryId: string): Promise<void> {
    return this.deliveries.drop(webhookId, deliveryId);
  }
}
