import { Injectable } from '@nestjs/common';
import { RedisClock } from '../infra/clock/index.js';
import type { OperatorSaleDto, OperatorSalesDto } from './dto/sale.answers.js';
import type { ListOperatorSalesDto } from './dto/sale.dto.js';
import type { Sale } from './entities/sale.entity.js';
import { Remaining } from './remaining.js';
import { SaleReader } from './sale.reader.js';
import { SaleSearch } from './sale.search.js';
import { operatorView } from './sale.view.js';

const PAGE = 100;

/** What operators read of sales: drafts too, and always afresh from MySQL. */
@Injectable()
export class SaleDesk {
  constructor(
    private readonly sales: SaleReader,
    private readonly search: SaleSearch,
    private readonly remaining: Remaining,
    private readonly clock: RedisClock,
  ) {}

  /** @throws DomainError SALE_NOT_FOUND */
  async show(saleId: string): Promise<OperatorSaleDto> {
    return this.view(await this.sales.get(saleId));
  }

  /** A page of sales, newest first. */
  async list({ state, cursor }: ListOperatorSalesDto): Promise<OperatorSalesDto> {
    const found = await this.search.newest(state, PAGE + 1, cursor);
    const sales = await Promise.all(found.slice(0, PAGE).map((sale) => this.view(sale)));
    const last = sales.at(-1);
    return found.length > PAGE && last ? { sales, nextCursor: last.id } : { sales };
  }

  /** The operator's view of a sale that was just read. */
  async view(sale: Sale): Promise<OperatorSaleDto> {
    return operatorView(sale, await this.remaining.of(sale), this.clock.nowMs());
  }
}
