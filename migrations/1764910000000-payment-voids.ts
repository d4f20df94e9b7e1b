import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Voided payments whose provider is still to be told, and payments found by the name their provider gave them. */
export class PaymentVoids1764910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payments
      ADD COLUMN void_tries INT UNSIGNED NOT NULL DEFAULT 0,
      ADD COLUMN void_due_at DATETIME(3) NULL COMMENT 'NULL: there is nothing to tell the provider',
      ADD KEY ix_payments_void (void_due_at),
      ADD KEY ix_payments_ref (provider, provider_ref)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments DROP KEY ix_payments_ref, DROP KEY ix_payments_void, DROP COLUMN void_due_at, DROP COLUMN void_tries');
  }
}
