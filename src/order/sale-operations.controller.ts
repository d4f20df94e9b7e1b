import { Body, Controller, Get, Header, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, CurrentUser, OperatorOnly, type AuthenticatedUser } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { ProofView } from './dto/proof.view.js';
import { StockChangeDto, StockView } from './dto/stock.dto.js';
import { reportRows } from './closing/sale-report.js';
import { SaleReports } from './closing/sale-report.reader.js';
import { SaleReportView } from './closing/sale-report.view.js';
import { csvLine } from './csv.js';
import { OrdersExport } from './orders-export.js';
import { Idempotent } from './idempotency/idempotent.js';
import { ProofService } from './proof.service.js';
import { SaleSamples } from './stats/sale-samples.js';
import { SeriesQuery, SeriesView } from './stats/series.view.js';
import { StatsReader } from './stats/stats.reader.js';
import { StatsView } from './stats/stats.view.js';
import { StockEditor } from './stock-editor.js';

/** Loading, proving or restocking a sale with a million units takes its time. */
const OPERATION_MS = 60_000;

@ApiTags('operator')
@Controller('admin/sales/:saleId')
@OperatorOnly()
@ApiProblems('SALE_NOT_FOUND')
@AnswersInTime(OPERATION_MS)
export class SaleOperationsController {
  constructor(
    private readonly proof: ProofService,
    private readonly figures: StatsReader,
    private readonly stock: StockEditor,
    private readonly orders: OrdersExport,
    private readonly reports: SaleReports,
    private readonly samples: SaleSamples,
  ) {}

  @Get('proof')
  @ApiOperation({ summary: 'Checks that every token of the sale is in exactly one place' })
  @ApiOkResponse({ type: ProofView })
  prove(@Param('saleId') saleId: string): Promise<ProofView> {
    return this.proof.prove(saleId);
  }

  @Get('stats')
  @ApiOperation({ summary: 'How the sale goes' })
  @ApiOkResponse({ type: StatsView })
  stats(@Param('saleId') saleId: string): Promise<StatsView> {
    return this.figures.read(saleId);
  }

  @Get('series')
  @ApiOperation({ summary: 'How far the sale had come from moment to moment' })
  @ApiOkResponse({ type: SeriesView })
  @ApiProblems('VALIDATION_FAILED')
  series(@Param('saleId') saleId: string, @Query() { since }: SeriesQuery): Promise<SeriesView> {
    return this.samples.series(saleId, since === undefined ? undefined : new Date(since));
  }

  @Post('items/:itemId/stock')
  @Idempotent()
  @ApiOperation({ summary: 'Adds or withdraws units, also while the sale is live' })
  @HttpCode(200)
  @ApiOkResponse({ type: StockView })
  @ApiProblems('VALIDATION_FAILED', 'SALE_NOT_FOUND', 'ITEM_NOT_FOUND', 'SALE_STATE_CONFLICT', 'STOCK_HELD', 'NOT_LOADED')
  changeStock(
    @Param('saleId') saleId: string,
    @Param('itemId') itemId: string,
    @Body() { delta }: StockChangeDto,
    @CurrentUser() operator: AuthenticatedUser,
  ): Promise<StockView> {
    return this.stock.change(saleId, itemId, delta, operator.id);
  }

  @Get('report')
  @ApiOperation({ summary: 'How the sale went: the final figures once it is closed, until then what can be said' })
  @ApiOkResponse({ type: SaleReportView })
  report(@Param('saleId') saleId: string): Promise<SaleReportView> {
    return this.reports.read(saleId);
  }

  @Get('report.csv')
  @ApiOperation({ summary: 'The same as a table of two columns' })
  @Header('content-type', 'text/csv; charset=utf-8')
  @ApiOkResponse({ description: 'RFC 4180, with a header line', content: { 'text/csv': { schema: { type: 'string' } } } })
  async reportTable(@Param('saleId') saleId: string): Promise<StreamableFile> {
    const rows = reportRows(await this.reports.read(saleId));
    const lines = [['figure', 'value'], ...rows].map(csvLine);
    return new StreamableFile(Buffer.from(lines.join('')), { type: 'text/csv; charset=utf-8', disposition: `attachment; filename="report-${saleId}.csv"` });
  }

  @Get('orders.csv')
  @ApiOperation({ summary: 'All orders of the sale as a file' })
  @Header('content-type', 'text/csv; charset=utf-8')
  @ApiOkResponse({ description: 'RFC 4180, with a header line', content: { 'text/csv': { schema: { type: 'string' } } } })
  async export(@Param('saleId') saleId: string): Promise<StreamableFile> {
    return new StreamableFile(await this.orders.file(saleId), { type: 'text/csv; charset=utf-8', disposition: `attachment; filename="orders-${saleId}.csv"` });
  }
}
