import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { SaleDto, SalesDto } from './dto/sale.answers.js';
import { ListSalesDto } from './dto/sale.dto.js';
import { SalePages } from './sale.pages.js';

@ApiTags('sales')
@AnswersInTime()
@Controller('sales')
export class SalesController {
  constructor(private readonly pages: SalePages) {}

  @Get()
  @ApiOperation({ summary: 'Sales that are published, by state' })
  @ApiOkResponse({ type: SalesDto })
  @ApiProblems('VALIDATION_FAILED')
  list(@Query() { state }: ListSalesDto): Promise<SalesDto> {
    return this.pages.list(state);
  }

  @Get(':saleId')
  @ApiOperation({ summary: "A sale with its items and what is left of them, with the server's time" })
  @ApiOkResponse({ type: SaleDto })
  @ApiProblems('SALE_NOT_FOUND')
  show(@Param('saleId') saleId: string): Promise<SaleDto> {
    return this.pages.show(saleId);
  }
}
