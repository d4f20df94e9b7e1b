import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets operators find orders by status, of one sale or of all (docs/decisions/0019). */
export class OrderSearch1764930000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders ADD KEY ix_orders_status (status, sale_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders DROP KEY ix_orders_status');
  }
}
