import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SaleReader } from '../../goods/index.js';
import { date, execute, integer, placeholders, select, text, type Row } from '../../infra/database/index.js';
import type { SamplePointView, SeriesView } from './series.view.js';

export const SAMPLE_EVERY_MS = 2000;
/** Half an hour of a live sale. */
const KEPT_POINTS = 900;
const FIGURES = ['joins', 'refused', 'decided', 'ordered', 'paid', 'waiting', 'standby'] as const;

/** How far a sale has come. */
export type SaleSample = Record<(typeof FIGURES)[number], number>;

/** The samples of sales in MySQL. Every statement goes by the primary key of sale_samples. */
@Injectable()
export class SaleSamples {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sales: SaleReader,
  ) {}

  /**
   * The newest points of a sale, oldest first.
   * @param since only those after it
   * @throws DomainError SALE_NOT_FOUND
   */
  async series(saleId: string, since?: Date): Promise<SeriesView> {
    const { id } = await this.sales.get(saleId);
    const rows = await select(
      this.dataSource,
      `SELECT sampled_at, ${FIGURES.join(', ')} FROM sale_samples WHERE sale_id = ? AND sampled_at > ? ORDER BY sampled_at DESC LIMIT ?`,
      [id, since ?? new Date(0), KEPT_POINTS],
    );
    return { saleId: id, everyMs: SAMPLE_EVERY_MS, points: rows.reverse().map(pointOf) };
  }

  /** The newest sample of a sale, or null. */
  async newest(saleId: string): Promise<SaleSample | null> {
    const [row] = await select(this.dataSource, `SELECT ${FIGURES.join(', ')} FROM sale_samples WHERE sale_id = ? ORDER BY sampled_at DESC LIMIT 1`, [saleId]);
    return row ? sampleOf(row) : null;
  }

  async add(saleId: string, at: Date, sample: SaleSample): Promise<void> {
    const values = [saleId, at, ...FIGURES.map((name) => sample[name])];
    await execute(
      this.dataSource,
      `INSERT INTO sale_samples (sale_id, sampled_at, ${FIGURES.join(', ')}) VALUES ${placeholders(1, values.length)} ON DUPLICATE KEY UPDATE joins = joins`,
      values,
    );
  }

  /** Removes what is not asked for any more: all but the newest points of each sale, and those of sales that ended before `endedBefore` or are gone. */
  async prune(endedBefore: Date): Promise<void> {
    const rows = await select(
      this.dataSource,
      `SELECT kept.sale_id, s.id IS NULL OR s.ends_at < ? AS is_past
         FROM (SELECT sale_id FROM sale_samples GROUP BY sale_id) AS kept LEFT JOIN sales s ON s.id = kept.sale_id`,
      [endedBefore],
    );
    for (const row of rows) {
      const saleId = text(row, 'sale_id');
      if (integer(row, 'is_past') === 1) await execute(this.dataSource, 'DELETE FROM sale_samples WHERE sale_id = ?', [saleId]);
      else await this.removeOld(saleId);
    }
  }

  private async removeOld(saleId: string): Promise<void> {
    const [first] = await select(this.dataSource, 'SELECT sampled_at FROM sale_samples WHERE sale_id = ? ORDER BY sampled_at DESC LIMIT 1 OFFSET ?', [saleId, KEPT_POINTS]);
    if (first) await execute(this.dataSource, 'DELETE FROM sale_samples WHERE sale_id = ? AND sampled_at <= ?', [saleId, date(first, 'sampled_at')]);
  }
}

const sampleOf = (row: Row): SaleSample => {
  const [joins, refused, decided, ordered, paid, waiting, standby] = FIGURES.map((name) => integer(row, name)) as [number, number, number, number, number, number, number];
  return { joins, refused, decided, ordered, paid, waiting, standby };
};

const pointOf = (row: Row): SamplePointView => ({ at: date(row, 'sampled_at').toISOString(), ...sampleOf(row) });

/** Whether something of the sale has changed between two samples. */
export const isSame = (a: SaleSample, b: SaleSample): boolean => FIGURES.every((name) => a[name] === b[name]);
