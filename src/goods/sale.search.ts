import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThan, LessThanOrEqual, MoreThan, Not, Repository, type FindOptionsOrder, type FindOptionsWhere } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { Sale } from './entities/sale.entity.js';
import type { SaleState } from './sale-state.js';
import { NO_SHADOW } from './shadow-sale.js';

/** Finds sales by what state they are in now, but no shadow sales. Answers come with items (by id) and goods. */
@Injectable()
export class SaleSearch {
  constructor(
    @InjectRepository(Sale) private readonly sales: Repository<Sale>,
    private readonly clock: RedisClock,
  ) {}

  /** For shoppers: no drafts, latest start first. */
  public(state: SaleState | undefined, limit: number): Promise<Sale[]> {
    const where = state === undefined ? [{ stage: Not('draft' as const) }] : whereState(state, this.clock.nowMs());
    return this.find(where, { startsAt: 'DESC', id: 'DESC' }, limit);
  }

  /** For operators: newest first, those with an id below `before`. */
  newest(state: SaleState | undefined, limit: number, before?: string): Promise<Sale[]> {
    const where = state === undefined ? [{}] : whereState(state, this.clock.nowMs());
    return this.find(before === undefined ? where : where.map((one) => ({ ...one, id: LessThan(before) })), { id: 'DESC' }, limit);
  }

  /** First the ids of the page, then what belongs to them: a limit over joined rows would count items. */
  private async find(conditions: FindOptionsWhere<Sale>[], order: FindOptionsOrder<Sale>, limit: number): Promise<Sale[]> {
    const where = conditions.map((one) => ({ ...one, ...NO_SHADOW }));
    const page = await this.sales.find({ select: { id: true, startsAt: true }, where, order, take: limit });
    if (page.length === 0) return [];
    return this.sales.find({
      where: { id: In(page.map(({ id }) => id)) },
      relations: { items: { goods: true } },
      order: { ...order, items: { id: 'ASC' } },
    });
  }
}

/** `saleState` as a condition in SQL; uses ix_sales_state_start. */
function whereState(state: SaleState, nowMs: number): FindOptionsWhere<Sale>[] {
  const now = new Date(nowMs);
  const goesOn = { endsAt: MoreThan(now) };
  const conditions: Record<SaleState, FindOptionsWhere<Sale>[]> = {
    draft: [{ stage: 'draft' }],
    scheduled: [{ stage: 'published', startsAt: MoreThan(now), ...goesOn }],
    live: [{ stage: 'published', startsAt: LessThanOrEqual(now), ...goesOn }],
    paused: [{ stage: 'paused', ...goesOn }],
    ended: [{ stage: 'ended' }, { stage: In(['published', 'paused']), endsAt: LessThanOrEqual(now) }],
  };
  return conditions[state];
}
