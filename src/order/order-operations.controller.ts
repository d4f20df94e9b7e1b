import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, CurrentUser, OperatorOnly, type AuthenticatedUser } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { OperatorOrderPageAnswer, OrderRecordAnswer } from './dto/operator-order.answers.js';
import { OrderWithPaymentAnswer } from './dto/order.answers.js';
import { RefundOrderRequest, SearchOrdersQuery } from './dto/order.requests.js';
import { Idempotent } from './idempotency/idempotent.js';
import { OrderDesk } from './order-desk.js';
import { OrderRefunding } from './order-refunding.js';

@ApiTags('operator')
@OperatorOnly()
@AnswersInTime()
@Controller('admin/orders')
export class OrderOperationsController {
  constructor(
    private readonly desk: OrderDesk,
    private readonly refunding: OrderRefunding,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Finds orders, newest first' })
  @ApiOkResponse({ type: OperatorOrderPageAnswer })
  @ApiProblems('VALIDATION_FAILED')
  search(@Query() query: SearchOrdersQuery): Promise<OperatorOrderPageAnswer> {
    return this.desk.search(query);
  }

  @Get(':orderId')
  @ApiOperation({ summary: 'An order with its shopper, its payments with what their providers said, and its history' })
  @ApiOkResponse({ type: OrderRecordAnswer })
  @ApiProblems('ORDER_NOT_FOUND')
  show(@Param('orderId') orderId: string): Promise<OrderRecordAnswer> {
    return this.desk.show(orderId);
  }

  @Post(':orderId/refund')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({ summary: 'Refunds a paid order in full; its units go back on sale unless told otherwise. A repeat is safe' })
  @ApiBody({ type: RefundOrderRequest, required: false })
  @ApiOkResponse({ type: OrderWithPaymentAnswer })
  @ApiProblems('VALIDATION_FAILED', 'ORDER_NOT_FOUND', 'ORDER_NOT_REFUNDABLE', 'UNAVAILABLE')
  refund(
    @CurrentUser() operator: AuthenticatedUser,
    @Param('orderId') orderId: string,
    @Body() { returnUnits = true }: RefundOrderRequest,
  ): Promise<OrderWithPaymentAnswer> {
    return this.refunding.refund(orderId, { unitsReturn: returnUnits, operatorId: operator.id });
  }
}
