import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { RedisClock } from '../infra/clock/index.js';
import { execute, select, text } from '../infra/database/index.js';

/** How long a delivered event can be looked up. */
const KEPT_MS = 7 * 86_400_000;
const BATCH = 1000;

/** Removes deliveries that arrived long ago, and deleted endpoints with all of theirs. */
@Injectable()
export class WebhookCleaning {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: RedisClock,
  ) {}

  /** Indexes: ix_webhook_deliveries_delivered, ix_webhook_deliveries_status. */
  async clean(goOn: () => boolean = () => true): Promise<void> {
    await this.removeAll('delivered_at < ?', [new Date(this.clock.nowMs() - KEPT_MS)], goOn);
    for (const row of await select(this.dataSource, `SELECT id FROM webhook_endpoints WHERE state = 'deleted'`)) {
      const id = text(row, 'id');
      await this.removeAll('endpoint_id = ?', [id], goOn);
      if (goOn()) await execute(this.dataSource, 'DELETE FROM webhook_endpoints WHERE id = ?', [id]);
    }
  }

  private async removeAll(where: string, parameters: unknown[], goOn: () => boolean): Promise<void> {
    while (goOn()) {
      if ((await execute(this.dataSource, `DELETE FROM webhook_deliveries WHERE ${where} LIMIT ${BATCH}`, parameters)) < BATCH) return;
    }
  }
}
