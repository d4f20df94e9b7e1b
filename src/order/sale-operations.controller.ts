import { Body, Controller, Get, Header, HttpCode, Param, Post, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, OperatorOnly } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { ProofView } from './dto/proof.view.js';
import { StatsView } from './dto/stats.view.js';
import { StockChangeDto, StockView } from './dto/stock.dto.js';
import { OrdersExport } from './orders-export.js';
import { ProofService } from './proof.service.js';
import { StatsReader } from './stats.reader.js';
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

  @Post('items/:itemId/stock')
  @ApiOperation({ summary: 'Adds or withdraws units, also while the sale is live' })
  @HttpCode(200)
  @ApiOkResponse({ type: StockView })
  @ApiProblems('VALIDATION_FAILED', 'SALE_NOT_FOUND', 'ITEM_NOT_FOUND', 'SALE_STATE_CONFLICT', 'STOCK_HELD', 'NOT_LOADED')
  changeStock(@Param('saleId') saleId: string, @Param('itemId') itemId: string, @Body() { delta }: StockChangeDto): Promise<StockView> {
    return this.stock.change(saleId, itemId, delta);
  }

  @Get('orders.csv')
  @ApiOperation({ summary: 'All orders of the sale as a file' })
  @Header('content-type', 'text/csv; charset=utf-8')
  @ApiOkResponse({ description: 'RFC 4180, with a header line', content: { 'text/csv': { schema: { type: 'string' } } } })
  async export(@Param('saleId') saleId: string): Promise<StreamableFile> {
    return new StreamableFile(await this.orders.file(saleId), { type: 'text/csv; charset=utf-8', disposition: `attachment; filename="orders-${saleId}.csv"` });
  }
}
