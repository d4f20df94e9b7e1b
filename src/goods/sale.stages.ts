import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { execute, inTransaction } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import type { Sale, SaleStage } from './entities/sale.entity.js';
import { saleState } from './sale-state.js';
import { SaleReader } from './sale.reader.js';
import { SaleRollout } from './sale.rollout.js';

interface StageChange {
  from: SaleStage[];
  to: SaleStage;
  /** Only while the sale's window has not passed. */
  beforeEnd: boolean;
}

/** What an operator may do to a sale, and when. */
const CHANGES = {
  publish: { from: ['draft'], to: 'published', beforeEnd: true },
  pause: { from: ['published'], to: 'paused', beforeEnd: true },
  resume: { from: ['paused'], to: 'published', beforeEnd: true },
  end: { from: ['published', 'paused'], to: 'ended', beforeEnd: false },
} as const satisfies Record<string, StageChange>;

export type StageChangeName = keyof typeof CHANGES;

/** Moves sales from stage to stage. */
@Injectable()
export class SaleStages {
  private readonly logger = new Logger('Sales');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly rollout: SaleRollout,
    private readonly clock: RedisClock,
  ) {}

  /**
   * Makes the change and lets the loaded state follow. A change that was made already is not made again, but followed up again, so a repeat
   * finishes what broke off.
   * @throws DomainError SALE_NOT_FOUND, or SALE_STATE_CONFLICT where the sale's state does not allow the change
   */
  async change(saleId: string, name: StageChangeName, operatorId: string): Promise<Sale> {
    const { id } = await this.sales.get(saleId);
    const changed = await this.write(id, CHANGES[name]);
    const sale = await this.sales.get(id);
    if (!changed && sale.stage !== CHANGES[name].to) throw this.conflict(sale, name);
    if (changed) this.logger.log({ saleId: id, change: name, operatorId, msg: 'sale changed' });
    await this.rollout.follow(sale);
    return sale;
  }

  /** One conditional statement, so that of two operators one wins and the other is told. */
  private async write(saleId: string, { from, to, beforeEnd }: Readonly<StageChange>): Promise<boolean> {
    const now = new Date(this.clock.nowMs());
    const endsAfter = beforeEnd ? now : new Date(0);
    const sql = 'UPDATE sales SET state = ?, updated_at = ? WHERE id = ? AND state IN (?) AND ends_at > ?';
    return inTransaction(this.dataSource, async (manager) => (await execute(manager, sql, [to, now, saleId, from, endsAfter])) === 1);
  }

  private conflict(sale: Sale, name: StageChangeName): DomainError {
    const state = saleState(sale, this.clock.nowMs());
    const isOver = sale.endsAt.getTime() <= this.clock.nowMs();
    const reason = isOver ? 'its end has passed' : `it is ${state}`;
    return new DomainError('SALE_STATE_CONFLICT', `The sale can not be changed by ${name}: ${reason}.`, { state });
  }
}
