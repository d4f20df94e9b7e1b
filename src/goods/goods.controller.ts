import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, OperatorOnly } from '../auth/index.js';
import { AnswersInTime } from '../infra/http/index.js';
import { CreateGoodsDto, EditGoodsDto, GoodsDto, GoodsPageDto, ListGoodsDto } from './dto/goods.dto.js';
import { GoodsCatalogue } from './goods.catalogue.js';

@ApiTags('admin')
@OperatorOnly()
@AnswersInTime()
@Controller('admin/goods')
export class GoodsController {
  constructor(private readonly catalogue: GoodsCatalogue) {}

  @Post()
  @ApiOperation({ summary: 'Adds goods to the catalogue' })
  @ApiCreatedResponse({ type: GoodsDto })
  @ApiProblems('VALIDATION_FAILED')
  add(@Body() goods: CreateGoodsDto): Promise<GoodsDto> {
    return this.catalogue.add(goods);
  }

  @Get()
  @ApiOperation({ summary: 'The catalogue, newest first' })
  @ApiOkResponse({ type: GoodsPageDto })
  @ApiProblems('VALIDATION_FAILED')
  list(@Query() { cursor }: ListGoodsDto): Promise<GoodsPageDto> {
    return this.catalogue.list(cursor);
  }

  @Patch(':goodsId')
  @ApiOperation({ summary: 'Changes what is given; the currency stays once a sale offers the goods' })
  @ApiOkResponse({ type: GoodsDto })
  @ApiProblems('VALIDATION_FAILED', 'GOODS_NOT_FOUND', 'SALE_STATE_CONFLICT')
  edit(@Param('goodsId') goodsId: string, @Body() changes: EditGoodsDto): Promise<GoodsDto> {
    return this.catalogue.edit(goodsId, changes);
  }
}
