import { Column, CreateDateColumn, Entity, OneToMany, PrimaryGeneratedColumn, UpdateDateColumn, type Relation } from 'typeorm';
import { SaleItem } from './sale-item.entity.js';

/** What the operator decided; `scheduled` and `live` follow from the clock (see `sale-state.ts`). */
export const SALE_STAGES = ['draft', 'published', 'paused', 'ended'] as const;
export type SaleStage = (typeof SALE_STAGES)[number];

export const SALE_MODES = ['queue', 'instant'] as const;
export type SaleMode = (typeof SALE_MODES)[number];

/** One flash-sale session. */
@Entity('sales')
export class Sale {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: string;

  @Column({ type: 'varchar', length: 200 })
  title!: string;

  @Column({ name: 'state', type: 'varchar', length: 24 })
  stage!: SaleStage;

  @Column({ name: 'starts_at', type: 'datetime', precision: 3 })
  startsAt!: Date;

  @Column({ name: 'ends_at', type: 'datetime', precision: 3 })
  endsAt!: Date;

  @Column({ type: 'varchar', length: 24 })
  mode!: SaleMode;

  @Column({ name: 'payment_timeout_seconds', type: 'int', unsigned: true })
  paymentTimeoutSeconds!: number;

  @Column({ name: 'standby_limit', type: 'int', unsigned: true })
  standbyLimit!: number;

  /** While the sale is paused: whether those in line wait, or are served nevertheless. */
  @Column({ name: 'claims_stopped', type: 'boolean', default: false })
  claimsStopped!: boolean;

  @Column({ type: 'smallint', unsigned: true })
  shards!: number;

  /** Since when the sale is over and nothing of it is under way any more: see its report. */
  @Column({ name: 'closed_at', type: 'datetime', precision: 3, nullable: true })
  closedAt!: Date | null;

  /** A shadow sale: of this rehearsal, and invisible to everyone who is no part of it. */
  @Column({ name: 'rehearsal_id', type: 'char', length: 36, nullable: true })
  rehearsalId!: string | null;

  /** Counts the builds of the sale's Redis state; work begun under an older one can't settle or release into a newer one. */
  @Column({ type: 'bigint', unsigned: true, default: 0 })
  epoch!: string;

  @OneToMany(() => SaleItem, (item) => item.sale, { cascade: ['insert'] })
  items!: Relation<SaleItem[]>;

  @CreateDateColumn({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}
