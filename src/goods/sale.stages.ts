import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { date, execute, inTransaction, integer, select, text } from '../infra/database/index.js';
import { DomainError } from '../infra/errors.js';
import type { Sale, SaleStage } from './entities/sale.entity.js';
import { recordChange } from './sale-audit.js';
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
  // Once more, too: whether the line is served may change its mind.
  pause: { from: ['published', 'paused'], to: 'paused', beforeEnd: true },
  resume: { from: ['paused'], to: 'published', beforeEnd: true },
  end: { from: ['published', 'paused'], to: 'ended', beforeEnd: false },
} as const satisfies Record<string, StageChange>;

export type StageChangeName = keyof typeof CHANGES;

/** Whether those in line are served while a sale is paused. */
export type ClaimsWhilePaused = 'go_on' | 'stop';

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
   * @param operatorId null: the command line
   * @throws DomainError SALE_NOT_FOUND, or SALE_STATE_CONFLICT where the sale's state does not allow the change
   */
  async change(saleId: string, name: StageChangeName, operatorId: string | null, claims: ClaimsWhilePaused = 'go_on'): Promise<Sale> {
    const { id } = await this.sales.get(saleId);
    const changed = await this.write(id, name, operatorId, claims);
    const sale = await this.sales.get(id);
    if (!changed && sale.stage !== CHANGES[name].to) throw this.conflict(sale, name);
    if (changed) this.logger.log({ saleId: id, change: name, operatorId, msg: 'sale changed' });
    await this.rollout.follow(sale);
    return sale;
  }

  /** The row stays locked until the change is written, so that of two operators one wins and the other is told. */
  private write(saleId: string, name: StageChangeName, operatorId: string | null, claims: ClaimsWhilePaused): Promise<boolean> {
    const { from, to, beforeEnd }: Readonly<StageChange> = CHANGES[name];
    return inTransaction(this.dataSource, async (manager) => {
      const [row] = await select(manager, 'SELECT state, claims_stopped, ends_at FROM sales WHERE id = ? FOR UPDATE', [saleId]);
      const nowMs = this.clock.nowMs();
      const stage = from.find((one) => row && one === text(row, 'state'));
      if (!row || !stage || (beforeEnd && date(row, 'ends_at').getTime() <= nowMs)) return false;
      await execute(manager, 'UPDATE sales SET state = ?, claims_stopped = ?, updated_at = ? WHERE id = ?', [to, claims === 'stop', new Date(nowMs), saleId]);
      const before = { stage, claims: integer(row, 'claims_stopped') === 1 ? 'stop' : 'go_on' };
      await recordChange(manager, { saleId, operatorId, action: name, before, after: { stage: to, claims } }, nowMs);
      return true;
    });
  }

  private conflict(sale: Sale, name: StageChangeName): DomainError {
    const state = saleState(sale, this.clock.nowMs());
    const isOver = sale.endsAt.getTime() <= this.clock.nowMs();
    const reason = isOver ? 'its end has passed' : `it is ${state}`;
    return new DomainError('SALE_STATE_CONFLICT', `The sale can not be changed (${name}): ${reason}.`, { state });
  }
}
