export { DatabaseModule } from './database.module.js';
export { databaseOptions } from './database.options.js';
export { isDatabaseUnavailable, isDuplicateKey, isTransient, mysqlCode } from './mysql-errors.js';
export { ReservedPool, reservedPool } from './reserved-pool.js';
export { date, execute, integer, nullable, placeholders, select, text, type Executor, type Row } from './rows.js';
export { inTransaction } from './transaction.js';
