import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What providers said, each event once, and when a refund is to be tried next. */
export class PaymentTruth1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE payment_events (
      id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
      provider VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      event_id VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      payment_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      result VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      amount_minor BIGINT NOT NULL,
      currency VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      received_at DATETIME(3) NOT NULL,
      PRIMARY KEY (id),
      UNIQUE KEY uq_payment_events (provider, event_id),
      KEY ix_payment_events_payment (payment_id)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci`);
    await runner.query(`ALTER TABLE payments
      ADD COLUMN refund_tries INT UNSIGNED NOT NULL DEFAULT 0,
      ADD COLUMN next_refund_at DATETIME(3) NULL,
      ADD KEY ix_payments_refund (status, next_refund_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments DROP KEY ix_payments_refund, DROP COLUMN next_refund_at, DROP COLUMN refund_tries');
    await runner.query('DROP TABLE payment_events');
  }
}
