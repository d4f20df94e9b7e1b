import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, Authenticated, CurrentUser, type AuthenticatedUser } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { bearsSecret, OrderAnswer, orderAnswer, OrderPageAnswer, orderPageAnswer, OrderWithPaymentAnswer } from './dto/order.answers.js';
import { ListOrdersQuery, PayOrderRequest } from './dto/order.requests.js';
import { Idempotent } from './idempotency/idempotent.js';
import { OrderCancelling } from './order-cancelling.js';
import { OrderReader } from './order.reader.js';
import { OrderPaying } from './payment/order-paying.js';

@ApiTags('orders')
@Authenticated()
@AnswersInTime()
@Controller('orders')
export class OrdersController {
  constructor(
    private readonly reader: OrderReader,
    private readonly paying: OrderPaying,
    private readonly cancelling: OrderCancelling,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Your orders, newest first, 20 a page' })
  @ApiOkResponse({ type: OrderPageAnswer })
  @ApiProblems('VALIDATION_FAILED')
  async list(@CurrentUser() user: AuthenticatedUser, @Query() query: ListOrdersQuery): Promise<OrderPageAnswer> {
    return orderPageAnswer(await this.reader.list(user.id, query.cursor));
  }

  @Get(':orderId')
  @ApiOperation({ summary: 'One of your orders' })
  @ApiOkResponse({ type: OrderAnswer })
  @ApiProblems('ORDER_NOT_FOUND')
  async show(@CurrentUser() user: AuthenticatedUser, @Param('orderId') orderId: string): Promise<OrderAnswer> {
    return orderAnswer(await this.reader.get(orderId, user.id));
  }

  @Post(':orderId/pay')
  @HttpCode(200)
  @ApiOperation({ summary: 'Pay an order; a repeat takes up the payment that is pending, or shows the one that succeeded' })
  @Idempotent({ keptUnless: bearsSecret })
  @ApiBody({ type: PayOrderRequest, required: false })
  @ApiOkResponse({ type: OrderWithPaymentAnswer })
  @ApiProblems('VALIDATION_FAILED', 'ORDER_NOT_FOUND', 'ORDER_NOT_PAYABLE', 'UNAVAILABLE')
  pay(@CurrentUser() user: AuthenticatedUser, @Param('orderId') orderId: string, @Body() body: PayOrderRequest): Promise<OrderWithPaymentAnswer> {
    return this.paying.pay(orderId, user.id, body.provider);
  }

  @Post(':orderId/cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Give an unpaid order up; its units are on sale again when the call answers' })
  @Idempotent()
  @ApiOkResponse({ type: OrderWithPaymentAnswer })
  @ApiProblems('VALIDATION_FAILED', 'ORDER_NOT_FOUND', 'ORDER_NOT_CANCELLABLE')
  cancel(
    @CurrentUser() user: AuthenticatedUser,
    @Param('orderId') orderId: string,
  ): Promise<OrderWithPaymentAnswer> {
    return this.cancelling.cancel(orderId, user.id);
  }
}
