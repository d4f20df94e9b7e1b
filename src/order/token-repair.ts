import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { shardsOf, type Sale } from '../goods/index.js';
import { inTransaction, integer, select, text } from '../infra/database/index.js';
import { StockScripts } from '../seckill/index.js';
import type { OddToken } from './token-proof.js';

/** An odd token with the item it belongs to. */
export interface OddFinding extends OddToken {
  itemId: string;
}

export interface Repair extends OddFinding {
  cause: 'missing' | 'doubled' | 'held elsewhere' | 'never issued';
}

/**
 * Mends tokens that the proof found odd. MySQL says where a token belongs; the Redis list is brought in line with it. With the sale's row
 * locked exclusively nothing moves in MySQL meanwhile, and each finding is looked at once more before anything is changed.
 */
@Injectable()
export class TokenRepair {
  private readonly logger = new Logger('Repair');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly stock: StockScripts,
  ) {}

  /** Mends what can be mended of these findings and answers what was done. */
  async mend(sale: Sale, findings: OddFinding[]): Promise<Repair[]> {
    return inTransaction(this.dataSource, async (manager) => {
      const [row] = await select(manager, 'SELECT epoch FROM sales WHERE id = ? FOR UPDATE', [sale.id]);
      // The state was built anew since the finding, which made it right already.
      if (!row || text(row, 'epoch') !== sale.epoch) return [];
      const repairs: Repair[] = [];
      for (const finding of findings) {
        const repair = await this.mendOne(manager, sale, finding);
        if (repair) repairs.push(repair);
      }
      return repairs;
    });
  }

  private async mendOne(manager: EntityManager, sale: Sale, finding: OddFinding): Promise<Repair | undefined> {
    const cause = await this.causeOf(manager, sale, finding);
    if (cause === undefined) return undefined;
    let mended = 0;
    for (const shard of shardsOf(sale.id, sale.shards)) {
      const isHome = (finding.serial - 1) % sale.shards === shard.shard;
      const copies = cause === 'doubled' || cause === 'missing' ? Number(isHome) : 0;
      const outcome = await this.stock.mend(shard, sale.epoch, { itemId: finding.itemId, serial: finding.serial, copies });
      if (outcome === 'mended') mended += 1;
    }
    if (mended === 0) return undefined;
    const repair = { ...finding, cause };
    this.logger.warn({ saleId: sale.id, ...repair, msg: 'token mended' });
    return repair;
  }

  /** Why a token is odd, as MySQL stands now; undefined when this is not for the list to mend (a claim, which its drain decides). */
  private async causeOf(manager: EntityManager, sale: Sale, { itemId, serial, places }: OddFinding): Promise<Repair['cause'] | undefined> {
    const [item] = await select(manager, 'SELECT issued FROM sale_items WHERE id = ? AND sale_id = ?', [itemId, sale.id]);
    if (!item) return undefined;
    if (serial < 1 || serial > integer(item, 'issued')) return 'never issued';
    if (await isElsewhere(manager, itemId, serial)) return places.includes('inList') ? 'held elsewhere' : undefined;
    if (places.includes('claimed')) return places.includes('inList') ? 'held elsewhere' : undefined;
    return places.length === 0 ? 'missing' : 'doubled';
  }
}

/** Held or withdrawn (by the primary key of held_tokens), or on its way back (by ix_token_returns_pending). */
async function isElsewhere(manager: EntityManager, itemId: string, serial: number): Promise<boolean> {
  const rows = await select(
    manager,
    `SELECT serial FROM held_tokens WHERE sale_item_id = ? AND serial = ?
     UNION ALL SELECT serial FROM token_returns WHERE relayed_at IS NULL AND sale_item_id = ? AND serial = ?`,
    [itemId, serial, itemId, serial],
  );
  return rows.length > 0;
}
