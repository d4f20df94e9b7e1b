import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far a sale had come from moment to moment (docs/decisions/0031). */
export class SaleSamples1764970000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE sale_samples (
      sale_id BIGINT UNSIGNED NOT NULL,
      sampled_at DATETIME(3) NOT NULL,
      joins BIGINT UNSIGNED NOT NULL,
      refused BIGINT UNSIGNED NOT NULL,
      decided BIGINT UNSIGNED NOT NULL,
      ordered BIGINT UNSIGNED NOT NULL,
      paid BIGINT UNSIGNED NOT NULL COMMENT 'orders that were ever paid',
      waiting INT UNSIGNED NOT NULL,
      standby INT UNSIGNED NOT NULL,
      PRIMARY KEY (sale_id, sampled_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sale_samples');
  }
}
