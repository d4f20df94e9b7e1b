import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiProblems, CurrentUser, OperatorOnly, type AuthenticatedUser } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { OperatorSaleDto, OperatorSalesDto } from './dto/sale.answers.js';
import { CreateSaleDto, EditSaleDto, ListOperatorSalesDto } from './dto/sale.dto.js';
import { Preloader } from './preloader.js';
import { SaleDesk } from './sale.desk.js';
import { SaleEditor } from './sale.editor.js';
import { SaleStages } from './sale.stages.js';

/** Loading, proving or restocking a sale with a million units takes its time. */
const OPERATION_MS = 60_000;

@ApiTags('admin')
@OperatorOnly()
@Controller('admin/sales')
@AnswersInTime(OPERATION_MS)
export class AdminSalesController {
  constructor(
    private readonly desk: SaleDesk,
    private readonly editor: SaleEditor,
    private readonly stages: SaleStages,
    private readonly preloader: Preloader,
  ) {}

  /** Creates a draft. It opens at `startsAt` once it is published; `startsAt` may lie in the past. */
  @Post()
  @ApiCreatedResponse({ type: OperatorSaleDto })
  @ApiProblems('VALIDATION_FAILED', 'GOODS_NOT_FOUND')
  async create(@Body() draft: CreateSaleDto): Promise<OperatorSaleDto> {
    return this.desk.view(await this.editor.create(draft));
  }

  @Get()
  @ApiOkResponse({ type: OperatorSalesDto })
  @ApiProblems('VALIDATION_FAILED')
  list(@Query() query: ListOperatorSalesDto): Promise<OperatorSalesDto> {
    return this.desk.list(query);
  }

  @Get(':saleId')
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND')
  show(@Param('saleId') saleId: string): Promise<OperatorSaleDto> {
    return this.desk.show(saleId);
  }

  /** Changes title and window until the sale opens, and the policies while it is a draft. */
  @Patch(':saleId')
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('VALIDATION_FAILED', 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async edit(@Param('saleId') saleId: string, @Body() changes: EditSaleDto): Promise<OperatorSaleDto> {
    return this.desk.view(await this.editor.edit(saleId, changes));
  }

  @Post(':saleId/publish')
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async publish(@Param('saleId') saleId: string, @CurrentUser() operator: AuthenticatedUser): Promise<OperatorSaleDto> {
    return this.desk.view(await this.stages.change(saleId, 'publish', operator.id));
  }

  /** Builds the sale's Redis state, unless it stands; the scheduler does so by itself from the lead time on. */
  @Post(':saleId/preload')
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT', 'NOT_LOADED', 'UNAVAILABLE')
  async preload(@Param('saleId') saleId: string): Promise<OperatorSaleDto> {
    await this.preloader.preload(saleId);
    return this.desk.show(saleId);
  }

  @Post(':saleId/pause')
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async pause(@Param('saleId') saleId: string, @CurrentUser() operator: AuthenticatedUser): Promise<OperatorSaleDto> {
    return this.desk.view(await this.stages.change(saleId, 'pause', operator.id));
  }

  @Post(':saleId/resume')
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async resume(@Param('saleId') saleId: string, @CurrentUser() operator: AuthenticatedUser): Promise<OperatorSaleDto> {
    return this.desk.view(await this.stages.change(saleId, 'resume', operator.id));
  }

  /** Ends the sale for good, whatever its window says. */
  @Post(':saleId/end')
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async end(@Param('saleId') saleId: string, @CurrentUser() operator: AuthenticatedUser): Promise<OperatorSaleDto> {
    return this.desk.view(await this.stages.change(saleId, 'end', operator.id));
  }
}
