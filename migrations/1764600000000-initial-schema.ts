import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLE = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci';
const UUID = 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin';
const WORD = 'VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin';

/**
 * The first tables. SQL that MySQL 8 and MariaDB 10.11 both take. The rows of the hot path (orders and below) carry no foreign keys:
 * each would lock its parent row for every order (docs/decisions/0005). What must hold is held by their unique keys:
 * one order a ticket, one unpaid order a shopper and sale, one holder a token, one slot below the limit a unit.
 */
export class InitialSchema1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...CATALOGUE, ...ORDERS]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['payments', 'order_events', 'token_returns', 'held_tokens', 'order_lines', 'orders', 'sale_items', 'sales', 'goods', 'users']) {
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
    }
  }
}

const CATALOGUE = [
  `CREATE TABLE users (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    username VARCHAR(64) NOT NULL,
    password_hash VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    role ${WORD} NOT NULL,
    created_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uq_users_username (username)
  ) ${TABLE}`,
  `CREATE TABLE goods (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    title VARCHAR(200) NOT NULL,
    description TEXT NULL,
    image_url VARCHAR(2000) NULL,
    list_price_minor BIGINT NOT NULL,
    currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at DATETIME(3) NOT NULL,
    updated_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT ck_goods_price CHECK (list_price_minor >= 0)
  ) ${TABLE}`,
  `CREATE TABLE sales (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    title VARCHAR(200) NOT NULL,
    state ${WORD} NOT NULL,
    starts_at DATETIME(3) NOT NULL,
    ends_at DATETIME(3) NOT NULL,
    mode ${WORD} NOT NULL,
    payment_timeout_seconds INT UNSIGNED NOT NULL,
    standby_limit INT UNSIGNED NOT NULL,
    shards SMALLINT UNSIGNED NOT NULL,
    epoch BIGINT UNSIGNED NOT NULL DEFAULT 0,
    created_at DATETIME(3) NOT NULL,
    updated_at DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    KEY ix_sales_state_start (state, starts_at),
    CONSTRAINT ck_sales_window CHECK (starts_at < ends_at)
  ) ${TABLE}`,
  `CREATE TABLE sale_items (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    sale_id BIGINT UNSIGNED NOT NULL,
    goods_id BIGINT UNSIGNED NOT NULL,
    price_minor BIGINT NOT NULL,
    currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    issued INT UNSIGNED NOT NULL,
    stock INT UNSIGNED NOT NULL,
    sold INT UNSIGNED NOT NULL DEFAULT 0,
    limit_per_user INT UNSIGNED NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uq_sale_items_goods (sale_id, goods_id),
    CONSTRAINT fk_sale_items_sale FOREIGN KEY (sale_id) REFERENCES sales (id),
    CONSTRAINT fk_sale_items_goods FOREIGN KEY (goods_id) REFERENCES goods (id),
    CONSTRAINT ck_sale_items_price CHECK (price_minor >= 0),
    CONSTRAINT ck_sale_items_sold CHECK (sold <= stock AND stock <= issued),
    CONSTRAINT ck_sale_items_limit CHECK (limit_per_user >= 1)
  ) ${TABLE}`,
];

const ORDERS = [
  `CREATE TABLE orders (
    id ${UUID} NOT NULL,
    sale_id BIGINT UNSIGNED NOT NULL,
    shard SMALLINT UNSIGNED NOT NULL,
    user_id BIGINT UNSIGNED NOT NULL,
    ticket_id ${UUID} NOT NULL,
    status ${WORD} NOT NULL,
    amount_minor BIGINT NOT NULL,
    currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at DATETIME(3) NOT NULL,
    pay_before DATETIME(3) NOT NULL,
    paid_at DATETIME(3) NULL,
    closed_at DATETIME(3) NULL,
    unpaid_user_id BIGINT UNSIGNED GENERATED ALWAYS AS (CASE WHEN status = 'awaiting_payment' THEN user_id ELSE NULL END) STORED,
    PRIMARY KEY (id),
    UNIQUE KEY uq_orders_ticket (ticket_id),
    UNIQUE KEY uq_orders_unpaid (sale_id, unpaid_user_id),
    KEY ix_orders_user (user_id, id),
    KEY ix_orders_sale (sale_id, id),
    KEY ix_orders_due (status, pay_before)
  ) ${TABLE}`,
  `CREATE TABLE order_lines (
    order_id ${UUID} NOT NULL,
    sale_item_id BIGINT UNSIGNED NOT NULL,
    goods_id BIGINT UNSIGNED NOT NULL,
    title VARCHAR(200) NOT NULL,
    quantity INT UNSIGNED NOT NULL,
    unit_price_minor BIGINT NOT NULL,
    PRIMARY KEY (order_id, sale_item_id)
  ) ${TABLE}`,
  `CREATE TABLE held_tokens (
    sale_item_id BIGINT UNSIGNED NOT NULL,
    serial INT UNSIGNED NOT NULL,
    order_id ${UUID} NULL COMMENT 'NULL: withdrawn from sale by an operator',
    user_id BIGINT UNSIGNED NULL,
    user_slot INT UNSIGNED NULL COMMENT 'which of the units the shopper may hold, from 1 to the limit',
    PRIMARY KEY (sale_item_id, serial),
    UNIQUE KEY uq_held_tokens_slot (sale_item_id, user_id, user_slot),
    KEY ix_held_tokens_order (order_id)
  ) ${TABLE}`,
  `CREATE TABLE token_returns (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    sale_id BIGINT UNSIGNED NOT NULL,
    shard SMALLINT UNSIGNED NOT NULL,
    sale_item_id BIGINT UNSIGNED NOT NULL,
    serial INT UNSIGNED NOT NULL,
    order_id ${UUID} NULL COMMENT 'NULL: new stock, added by an operator',
    user_id BIGINT UNSIGNED NULL,
    created_at DATETIME(3) NOT NULL,
    relayed_at DATETIME(3) NULL,
    PRIMARY KEY (id),
    KEY ix_token_returns_pending (relayed_at, sale_id, id),
    KEY ix_token_returns_order (order_id)
  ) ${TABLE}`,
  `CREATE TABLE order_events (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    order_id ${UUID} NOT NULL,
    sale_id BIGINT UNSIGNED NOT NULL,
    from_status ${WORD} NOT NULL,
    to_status ${WORD} NOT NULL,
    cause VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at DATETIME(3) NOT NULL,
    relayed_at DATETIME(3) NULL,
    PRIMARY KEY (id),
    KEY ix_order_events_pending (relayed_at, sale_id, id),
    KEY ix_order_events_order (order_id, id)
  ) ${TABLE}`,
  `CREATE TABLE payments (
    id ${UUID} NOT NULL,
    order_id ${UUID} NOT NULL,
    provider ${WORD} NOT NULL,
    provider_ref VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NULL,
    status ${WORD} NOT NULL,
    amount_minor BIGINT NOT NULL,
    currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    created_at DATETIME(3) NOT NULL,
    updated_at DATETIME(3) NOT NULL,
    is_open TINYINT GENERATED ALWAYS AS (CASE WHEN status = 'pending' THEN 1 ELSE NULL END) STORED,
    PRIMARY KEY (id),
    UNIQUE KEY uq_payments_open (order_id, provider, is_open),
    KEY ix_payments_order (order_id)
  ) ${TABLE}`,
];
