import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, OperatorOnly } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { Readiness } from './readiness.js';
import { ReadinessView } from './readiness.view.js';

@ApiTags('operator')
@Controller('admin/sales/:saleId/readiness')
@OperatorOnly()
@ApiProblems('SALE_NOT_FOUND')
@AnswersInTime()
export class ReadinessController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  @ApiOperation({ summary: 'Whether all is ready for the sale to open' })
  @ApiOkResponse({ type: ReadinessView })
  check(@Param('saleId') saleId: string): Promise<ReadinessView> {
    return this.readiness.of(saleId);
  }
}
