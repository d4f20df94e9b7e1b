import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why a refund has failed, in the provider's words. */
export class RefundFailures1764950000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payment_events ADD COLUMN reason VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'of a refund that failed'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payment_events DROP COLUMN reason');
  }
}
