import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci';
const UUID = 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin';
const WORD = 'VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin';
const KEY = 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin';

/**
 * Events that go out to the merchant's own systems. What happened before this migration is nobody's news: it counts as published, and the
 * sales that have opened or ended by now have had these events.
 */
export class EventsOut1764920000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...EVENTS, ...WEBHOOKS]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['webhook_deliveries', 'webhook_endpoints', 'webhook_dispatch', 'sale_events']) await runner.query(`DROP TABLE ${table}`);
    await runner.query('ALTER TABLE order_events DROP KEY ix_order_events_unpublished, DROP COLUMN published_at');
  }
}

const HAS_OPENED = `state <> 'draft' AND starts_at <= UTC_TIMESTAMP(3)`;
const IS_OVER = `state = 'ended' OR (state <> 'draft' AND ends_at <= UTC_TIMESTAMP(3))`;

const EVENTS = [
  `ALTER TABLE order_events ADD COLUMN published_at DATETIME(3) NULL COMMENT 'handed to the webhooks'`,
  'UPDATE order_events SET published_at = created_at',
  'ALTER TABLE order_events ADD KEY ix_order_events_unpublished (published_at, id)',
  `CREATE TABLE sale_events (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    sale_id BIGINT UNSIGNED NOT NULL,
    type ${WORD} NOT NULL,
    sale MEDIUMTEXT NOT NULL COMMENT 'the sale as JSON, as it was then',
    created_at DATETIME(3) NOT NULL,
    published_at DATETIME(3) NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uq_sale_events_type (sale_id, type),
    KEY ix_sale_events_unpublished (published_at, id)
  ) ${TABLE}`,
  `INSERT INTO sale_events (sale_id, type, sale, created_at, published_at)
    SELECT id, 'sale.opened', '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM sales WHERE ${HAS_OPENED}`,
  `INSERT INTO sale_events (sale_id, type, sale, created_at, published_at)
    SELECT id, 'sale.ended', '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM sales WHERE ${IS_OVER}`,
];

const WEBHOOKS = [
  // One row: whoever hands events on holds it, so that no two do at once.
  `CREATE TABLE webhook_dispatch (id TINYINT UNSIGNED NOT NULL, PRIMARY KEY (id)) ${TABLE}`,
  'INSERT INTO webhook_dispatch (id) VALUES (1)',
  `CREATE TABLE webhook_endpoints (
    id ${UUID} NOT NULL,
    url VARCHAR(2000) NOT NULL,
    secret VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    types VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'with commas; NULL: all',
    state ${WORD} NOT NULL COMMENT 'active, or deleted until its deliveries are',
    created_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id)
  ) ${TABLE}`,
  `CREATE TABLE webhook_deliveries (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    endpoint_id ${UUID} NOT NULL,
    event_id ${KEY} NOT NULL,
    type ${WORD} NOT NULL,
    ordering_key ${KEY} NOT NULL COMMENT 'deliveries of one key go out one after the other, by id',
    payload MEDIUMTEXT NOT NULL,
    status ${WORD} NOT NULL,
    attempts INT UNSIGNED NOT NULL DEFAULT 0,
    next_try_at DATETIME(3) NULL COMMENT 'NULL while an earlier one of its key is not delivered, and at the end',
    last_error VARCHAR(500) NULL,
    created_at DATETIME(3) NOT NULL,
    delivered_at DATETIME(3) NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uq_webhook_deliveries_event (endpoint_id, event_id),
    KEY ix_webhook_deliveries_due (endpoint_id, next_try_at),
    KEY ix_webhook_deliveries_lane (ordering_key, endpoint_id, id),
    KEY ix_webhook_deliveries_status (endpoint_id, status, id),
    KEY ix_webhook_deliveries_delivered (delivered_at)
  ) ${TABLE}`,
];
