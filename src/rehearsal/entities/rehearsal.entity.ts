import { Column, Entity, PrimaryColumn } from 'typeorm';

export const REHEARSAL_STATES = ['running', 'passed', 'failed'] as const;
export type RehearsalState = (typeof REHEARSAL_STATES)[number];

export const REHEARSAL_PHASES = ['preparing', 'joining', 'deciding', 'paying', 'proving', 'cleaning', 'done'] as const;
export type RehearsalPhase = (typeof REHEARSAL_PHASES)[number];

/** A rehearsal: a shadow sale for shoppers that don't exist, with its outcome. */
@Entity('rehearsals')
export class Rehearsal {
  @PrimaryColumn({ type: 'char', length: 36 })
  id!: string;

  @Column({ type: 'varchar', length: 24 })
  state!: RehearsalState;

  @Column({ type: 'varchar', length: 24 })
  phase!: RehearsalPhase;

  @Column({ type: 'int', unsigned: true })
  shoppers!: number;

  @Column({ type: 'int', unsigned: true })
  stock!: number;

  /** Shoppers whose join was answered. */
  @Column({ type: 'int', unsigned: true })
  joined!: number;

  /** Shoppers who know what became of them. */
  @Column({ type: 'int', unsigned: true })
  decided!: number;

  @Column({ type: 'int', unsigned: true })
  paid!: number;

  /** Why it failed. */
  @Column({ type: 'varchar', length: 500, nullable: true })
  reason!: string | null;

  /** A `RehearsalReport` as JSON. */
  @Column({ type: 'text', nullable: true })
  report!: string | null;

  @Column({ name: 'runner_id', type: 'char', length: 36 })
  runnerId!: string;

  @Column({ name: 'seen_at', type: 'datetime', precision: 3 })
  seenAt!: Date;

  @Column({ name: 'started_at', type: 'datetime', precision: 3 })
  startedAt!: Date;

  @Column({ name: 'finished_at', type: 'datetime', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
