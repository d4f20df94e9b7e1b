import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, CurrentUser, OperatorOnly, type AuthenticatedUser } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { OperatorSaleDto, OperatorSalesDto } from './dto/sale.answers.js';
import { AuditDto, ReadAuditDto } from './dto/audit.dto.js';
import { CreateSaleDto, EditSaleDto, EditSaleItemDto, ListOperatorSalesDto, PauseSaleDto } from './dto/sale.dto.js';
import { Preloader } from './preloader.js';
import { SaleAudit } from './sale-audit.js';
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
    private readonly audit: SaleAudit,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Creates a draft; it opens at startsAt once it is published, at once when that has passed' })
  @ApiCreatedResponse({ type: OperatorSaleDto })
  @ApiProblems('VALIDATION_FAILED', 'GOODS_NOT_FOUND')
  async create(@Body() draft: CreateSaleDto): Promise<OperatorSaleDto> {
    return this.desk.view(await this.editor.create(draft));
  }

  @Get()
  @ApiOperation({ summary: 'All sales, drafts included' })
  @ApiOkResponse({ type: OperatorSalesDto })
  @ApiProblems('VALIDATION_FAILED')
  list(@Query() query: ListOperatorSalesDto): Promise<OperatorSalesDto> {
    return this.desk.list(query);
  }

  @Get(':saleId')
  @ApiOperation({ summary: 'A sale as operators see it' })
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND')
  show(@Param('saleId') saleId: string): Promise<OperatorSaleDto> {
    return this.desk.show(saleId);
  }

  @Patch(':saleId')
  @ApiOperation({ summary: 'Changes title and end until the sale is over, its start until it opens, and the policies while it is a draft' })
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('VALIDATION_FAILED', 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async edit(@Param('saleId') saleId: string, @Body() changes: EditSaleDto, @CurrentUser() operator: AuthenticatedUser): Promise<OperatorSaleDto> {
    return this.desk.view(await this.editor.edit(saleId, changes, operator.id));
  }

  @Patch(':saleId/items/:itemId')
  @ApiOperation({ summary: 'Changes how many units of an item a shopper may have, until the sale is over' })
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('VALIDATION_FAILED', 'SALE_NOT_FOUND', 'ITEM_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async editItem(
    @Param('saleId') saleId: string,
    @Param('itemId') itemId: string,
    @Body() { limitPerUser }: EditSaleItemDto,
    @CurrentUser() operator: AuthenticatedUser,
  ): Promise<OperatorSaleDto> {
    return this.desk.view(await this.editor.changeLimit(saleId, itemId, limitPerUser, operator.id));
  }

  @Get(':saleId/audit')
  @ApiOperation({ summary: 'Who changed what of the sale, and when' })
  @ApiOkResponse({ type: AuditDto })
  @ApiProblems('VALIDATION_FAILED', 'SALE_NOT_FOUND')
  readAudit(@Param('saleId') saleId: string, @Query() { cursor }: ReadAuditDto): Promise<AuditDto> {
    return this.audit.read(saleId, cursor);
  }

  @Delete(':saleId')
  @HttpCode(204)
  @ApiOperation({ summary: 'Throws a draft away' })
  @ApiNoContentResponse()
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  discard(@Param('saleId') saleId: string): Promise<void> {
    return this.editor.discard(saleId);
  }

  @Post(':saleId/publish')
  @ApiOperation({ summary: 'Lets a draft open when its time comes' })
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async publish(@Param('saleId') saleId: string, @CurrentUser() operator: AuthenticatedUser): Promise<OperatorSaleDto> {
    return this.desk.view(await this.stages.change(saleId, 'publish', operator.id));
  }

  @Post(':saleId/preload')
  @ApiOperation({ summary: "Builds the sale's Redis state, unless it stands; the scheduler does so by itself from the lead time on" })
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT', 'NOT_LOADED', 'UNAVAILABLE')
  async preload(@Param('saleId') saleId: string): Promise<OperatorSaleDto> {
    await this.preloader.preload(saleId);
    return this.desk.show(saleId);
  }

  @Post(':saleId/pause')
  @ApiOperation({ summary: 'Refuses joins until the sale is resumed; those in line are served meanwhile, or wait' })
  @HttpCode(200)
  @ApiBody({ type: PauseSaleDto, required: false })
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('VALIDATION_FAILED', 'SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async pause(@Param('saleId') saleId: string, @Body() { claims }: PauseSaleDto, @CurrentUser() operator: AuthenticatedUser): Promise<OperatorSaleDto> {
    return this.desk.view(await this.stages.change(saleId, 'pause', operator.id, claims));
  }

  @Post(':saleId/resume')
  @ApiOperation({ summary: 'Lets shoppers join a paused sale again' })
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async resume(@Param('saleId') saleId: string, @CurrentUser() operator: AuthenticatedUser): Promise<OperatorSaleDto> {
    return this.desk.view(await this.stages.change(saleId, 'resume', operator.id));
  }

  @Post(':saleId/end')
  @ApiOperation({ summary: 'Ends the sale for good, whatever its window says' })
  @HttpCode(200)
  @ApiOkResponse({ type: OperatorSaleDto })
  @ApiProblems('SALE_NOT_FOUND', 'SALE_STATE_CONFLICT')
  async end(@Param('saleId') saleId: string, @CurrentUser() operator: AuthenticatedUser): Promise<OperatorSaleDto> {
    return this.desk.view(await this.stages.change(saleId, 'end', operator.id));
  }
}
