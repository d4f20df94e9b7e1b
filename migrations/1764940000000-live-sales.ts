import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci';
const WORD = 'VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin';

/** What operators do to sales that are on, how a sale went, and when it was closed. */
export class LiveSales1764940000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sales
      ADD COLUMN claims_stopped TINYINT(1) NOT NULL DEFAULT 0 COMMENT 'while paused: whether those in line wait',
      ADD COLUMN closed_at DATETIME(3) NULL COMMENT 'over, and nothing of it is under way any more',
      ADD KEY ix_sales_closed (closed_at, ends_at)`);
    await runner.query(`ALTER TABLE orders ADD COLUMN joined_at DATETIME(3) NULL`);
    await runner.query(`CREATE TABLE sale_audit (
      id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
      sale_id BIGINT UNSIGNED NOT NULL,
      operator_id BIGINT UNSIGNED NULL COMMENT 'NULL: the command line',
      action ${WORD} NOT NULL,
      before_json TEXT NOT NULL,
      after_json TEXT NOT NULL,
      created_at DATETIME(3) NOT NULL,
      PRIMARY KEY (id),
      KEY ix_sale_audit_sale (sale_id, id)
    ) ${TABLE}`);
    await runner.query(`CREATE TABLE sale_counts (
      sale_id BIGINT UNSIGNED NOT NULL,
      kind ${WORD} NOT NULL COMMENT 'join or decision',
      outcome ${WORD} NOT NULL,
      tickets BIGINT UNSIGNED NOT NULL,
      PRIMARY KEY (sale_id, kind, outcome)
    ) ${TABLE}`);
    await runner.query(`CREATE TABLE sale_reports (
      sale_id BIGINT UNSIGNED NOT NULL,
      report MEDIUMTEXT NOT NULL,
      created_at DATETIME(3) NOT NULL,
      PRIMARY KEY (sale_id)
    ) ${TABLE}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['sale_reports', 'sale_counts', 'sale_audit']) await runner.query(`DROP TABLE ${table}`);
    await runner.query('ALTER TABLE orders DROP COLUMN joined_at');
    await runner.query('ALTER TABLE sales DROP KEY ix_sales_closed, DROP COLUMN closed_at, DROP COLUMN claims_stopped');
  }
}
