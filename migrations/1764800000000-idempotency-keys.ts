import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The first answers of calls that came with an idempotency key. */
export class IdempotencyKeys1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE idempotency_keys (
      user_id BIGINT UNSIGNED NOT NULL,
      key_digest CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      call_digest CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      answer MEDIUMTEXT NULL COMMENT 'NULL: the call is still running',
      running_until DATETIME(3) NOT NULL,
      created_at DATETIME(3) NOT NULL,
      PRIMARY KEY (user_id, key_digest),
      KEY ix_idempotency_keys_age (created_at)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}
