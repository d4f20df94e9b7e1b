import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, inTransaction, placeholders, select, text, type Executor } from '../infra/database/index.js';
import { reasonOf } from '../infra/errors.js';

/** Often enough for a console that shows them as they come. */
const EVERY_MS = 500;

interface Count {
  saleId: string;
  kind: 'join' | 'decision' | 'wait';
  outcome: string;
  tickets: number;
}

/**
 * Counts per sale what joins were answered, what became of tickets and how long they waited, for the sale's figures and report. The counts
 * are added to MySQL twice a second, so that no join waits for it; a process that is killed takes those of its last moments along. They are
 * statistics: what was sold is counted from the orders.
 */
@Injectable()
export class SaleTally implements BeforeApplicationShutdown {
  private readonly logger = new Logger('SaleTally');
  private counts = new Map<string, Count>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @param outcome `queued`, `reserved` or the code of the refusal for a join; `ordered`, `rejected`, `sold_out`, … for a decision; the bucket of a wait */
  count(saleId: string, kind: Count['kind'], outcome: string, tickets = 1): void {
    if (tickets > 0) this.add({ saleId, kind, outcome, tickets });
  }

  @Interval(EVERY_MS)
  async flush(): Promise<void> {
    const counts = [...this.counts.values()];
    if (counts.length === 0) return;
    this.counts = new Map();
    try {
      await inTransaction(this.dataSource, async (manager) => write(manager, await ofSales(manager, counts)));
    } catch (error) {
      for (const count of counts) this.add(count);
      this.logger.warn({ counts: counts.length, reason: reasonOf(error), msg: 'counts kept for later' });
    }
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.flush();
  }

  private add(count: Count): void {
    const key = `${count.saleId} ${count.kind} ${count.outcome}`;
    const known = this.counts.get(key);
    if (known) known.tickets += count.tickets;
    else this.counts.set(key, { ...count });
  }
}

/** Those whose sale is still there: a shadow sale is removed when its rehearsal is over. Index: PRIMARY. */
async function ofSales(executor: Executor, counts: Count[]): Promise<Count[]> {
  const rows = await select(executor, 'SELECT id FROM sales WHERE id IN (?)', [[...new Set(counts.map(({ saleId }) => saleId))]]);
  const known = new Set(rows.map((row) => text(row, 'id')));
  return counts.filter(({ saleId }) => known.has(saleId));
}

async function write(executor: Executor, counts: Count[]): Promise<void> {
  if (counts.length === 0) return;
  await execute(
    executor,
    `INSERT INTO sale_counts (sale_id, kind, outcome, tickets) VALUES ${placeholders(counts.length, 4)}
     ON DUPLICATE KEY UPDATE tickets = tickets + VALUES(tickets)`,
    counts.sort(byKey).flatMap(({ saleId, kind, outcome, tickets }) => [saleId, kind, outcome, tickets]),
  );
}

/** One order for all processes, so that none waits for another crosswise. */
function byKey(a: Count, b: Count): number {
  return Number(a.saleId) - Number(b.saleId) || a.kind.localeCompare(b.kind) || a.outcome.localeCompare(b.outcome);
}
