import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../config/index.js';
import { inTransaction, select } from '../infra/database/index.js';
import type { Sale } from './entities/sale.entity.js';
import { shardsOf } from './sale-keys.js';
import { shardPolicy } from './sale-policy.js';
import { SaleReader } from './sale.reader.js';
import { policyKey, SaleScripts } from './sale.scripts.js';

/** Brings what an operator changed in MySQL (stage, window, limits, texts) into the loaded state, so that the very next join obeys. */
@Injectable()
export class SaleSteering {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
    private readonly scripts: SaleScripts,
    private readonly settings: Settings,
  ) {}

  /** Steers every shard that is loaded. Runs one after the other per sale, so the newest decision is the last one written. */
  async apply(saleId: string): Promise<void> {
    await inTransaction(this.dataSource, async (manager) => {
      await select(manager, 'SELECT id FROM sales WHERE id = ? FOR UPDATE', [saleId]);
      const sale = await this.sales.get(saleId, manager);
      const policy = shardPolicy(sale, this.settings.RETENTION_SECONDS);
      for (const shard of shardsOf(sale.id, sale.shards)) await this.scripts.steer(shard, sale.epoch, policy);
    });
  }

  /** Whether a loaded shard still follows an older decision: a change whose second half was lost. */
  async isBehind(sale: Sale): Promise<boolean> {
    const wanted = policyKey(shardPolicy(sale, this.settings.RETENTION_SECONDS));
    const shards = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.scripts.steeringOf(shard)));
    return shards.some((found) => found !== null && found.epoch === sale.epoch && found.policy !== wanted);
  }
}
