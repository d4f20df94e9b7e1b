import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { DomainError } from '../infra/errors.js';
import { Sale } from './entities/sale.entity.js';

const ID = /^[1-9]\d{0,18}$/;

/** Reads sales with their items and goods from MySQL, always afresh. */
@Injectable()
export class SaleReader {
  constructor(@InjectRepository(Sale) private readonly sales: Repository<Sale>) {}

  /**
   * The sale with items (by id) and their goods, or null. An id that can't be one is simply unknown. Inside a transaction pass its
   * `manager`: who holds a lock while waiting for a second connection can hold up the whole pool for good.
   */
  async find(saleId: string, manager: EntityManager = this.sales.manager): Promise<Sale | null> {
    if (!ID.test(saleId)) return null;
    return manager.findOne(Sale, { where: { id: saleId }, relations: { items: { goods: true } }, order: { items: { id: 'ASC' } } });
  }

  /** @throws DomainError SALE_NOT_FOUND */
  async get(saleId: string, manager?: EntityManager): Promise<Sale> {
    const sale = await this.find(saleId, manager);
    if (!sale) throw new DomainError('SALE_NOT_FOUND', `There is no sale ${saleId}.`);
    return sale;
  }
}
