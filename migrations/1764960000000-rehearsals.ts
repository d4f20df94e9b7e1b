import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci';
const UUID = 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin';
const WORD = 'VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin';

/** Rehearsals, one of which may run at a time, and the mark of the sales that belong to one. */
export class Rehearsals1764960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE rehearsals (
      id ${UUID} NOT NULL COMMENT 'version 7: ids rise with time',
      state ${WORD} NOT NULL,
      phase ${WORD} NOT NULL,
      shoppers INT UNSIGNED NOT NULL,
      stock INT UNSIGNED NOT NULL,
      joined INT UNSIGNED NOT NULL DEFAULT 0,
      decided INT UNSIGNED NOT NULL DEFAULT 0,
      paid INT UNSIGNED NOT NULL DEFAULT 0,
      reason VARCHAR(500) NULL,
      report TEXT NULL,
      runner_id ${UUID} NOT NULL COMMENT 'who has it in hand: nobody else writes to it',
      seen_at DATETIME(3) NOT NULL COMMENT 'the last sign of life of the runner',
      started_at DATETIME(3) NOT NULL,
      finished_at DATETIME(3) NULL,
      is_running TINYINT GENERATED ALWAYS AS (CASE WHEN state = 'running' THEN 1 ELSE NULL END) STORED,
      PRIMARY KEY (id),
      UNIQUE KEY uq_rehearsals_running (is_running)
    ) ${TABLE}`);
    await runner.query(`ALTER TABLE sales
      ADD COLUMN rehearsal_id ${UUID} NULL COMMENT 'a shadow sale, of this rehearsal',
      ADD KEY ix_sales_rehearsal (rehearsal_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sales DROP KEY ix_sales_rehearsal, DROP COLUMN rehearsal_id');
    await runner.query('DROP TABLE rehearsals');
  }
}
