import type { MigrationInterface, QueryRunner } from 'typeorm';

const WORD = 'VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin';

/** An order's history begins with the order itself: a row without a status before it. */
export class OrderBeginnings1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE order_events MODIFY from_status ${WORD} NULL COMMENT 'NULL: the order came to be'`);
    await runner.query(`INSERT INTO order_events (order_id, sale_id, from_status, to_status, cause, created_at, relayed_at)
      SELECT id, sale_id, NULL, 'awaiting_payment', 'drain', created_at, created_at FROM orders ORDER BY id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM order_events WHERE from_status IS NULL');
    await runner.query(`ALTER TABLE order_events MODIFY from_status ${WORD} NOT NULL`);
  }
}
