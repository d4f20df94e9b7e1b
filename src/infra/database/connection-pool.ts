import { DataSource, type DataSourceOptions } from 'typeorm';
import { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';

/**
 * How long a statement waits for a row that another transaction holds. Each one that waits keeps a connection from everyone else, and
 * MySQL's own fifty seconds would let the row of one sale use up the pool.
 */
const LOCK_WAIT_SECONDS = 2;
/** How long a transaction may lie idle, its process frozen, before MariaDB ends it and frees its rows. MySQL has no such setting. */
const IDLE_TRANSACTION_SECONDS = 60;

const SESSION = [`SET SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}`, `SET SESSION idle_transaction_timeout = ${IDLE_TRANSACTION_SECONDS}`];

/** What the pool of mysql2 offers of itself. */
interface Pool {
  on(event: 'connection', listener: (connection: PooledConnection) => void): void;
  getConnection(callback: (error: unknown, connection: PooledConnection) => void): void;
}
interface PooledConnection {
  query(sql: string, callback: (error: unknown) => void): void;
  release(): void;
}

/** Opens the pool of the process; every connection in it has bounded waits. @throws when the database can't be reached */
export async function openPool(options?: DataSourceOptions): Promise<DataSource> {
  if (!options) throw new TypeError('the options of the database are missing');
  const dataSource = await new DataSource(options).initialize();
  if (!(dataSource.driver instanceof MysqlDriver)) throw new TypeError('the database must be MySQL or MariaDB');
  const pool = dataSource.driver.pool as Pool;
  pool.on('connection', boundWaits);
  // The one with which TypeORM has looked whether the database is there.
  pool.getConnection((error, connection) => {
    if (error) return;
    boundWaits(connection);
    connection.release();
  });
  return dataSource;
}

/** A server that does not know a setting refuses it, and goes on without. */
function boundWaits(connection: PooledConnection): void {
  for (const statement of SESSION) connection.query(statement, () => undefined);
}
