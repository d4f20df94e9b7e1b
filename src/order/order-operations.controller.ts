import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, CurrentUser, OperatorOnly, type AuthenticatedUser } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { OrderWithPaymentAnswer } from './dto/order.answers.js';
import { RefundOrderRequest } from './dto/order.requests.js';
import { Idempotent } from './idempotency/idempotent.js';
import { OrderRefunding } from './order-refunding.js';

@ApiTags('operator')
@OperatorOnly()
@AnswersInTime()
@Controller('admin/orders')
export class OrderOperationsController {
  constructor(private readonly refunding: OrderRefunding) {}

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
    return this.refunding.refund(orderId, { unitsReturn: returnUnits, cause: `operator ${operator.id}` });
  }
}
