import type { DataSource, EntityManager } from 'typeorm';

/** Something SQL can be sent through: the pool, or the connection of a transaction. */
export type Executor = Pick<DataSource | EntityManager, 'query'>;

/** One row as the driver gives it; read its columns with the functions below, which check what they find. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs a SELECT and answers its rows. */
export async function select(executor: Executor, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  const result: unknown = await executor.query(sql, parameters);
  if (!Array.isArray(result)) throw new TypeError('the statement answered no rows');
  return result as Row[];
}

/** Runs an INSERT, UPDATE or DELETE and answers the number of rows it matched. */
export async function execute(executor: Executor, sql: string, parameters: unknown[] = []): Promise<number> {
  const result: unknown = await executor.query(sql, parameters);
  if (typeof result === 'object' && result !== null && 'affectedRows' in result && typeof result.affectedRows === 'number') {
    return result.affectedRows;
  }
  throw new TypeError('the statement answered no count of rows');
}

/** `(?,?),(?,?)` for a multi-row VALUES list. */
export function placeholders(rows: number, columns: number): string {
  return Array(rows).fill(`(${Array(columns).fill('?').join(',')})`).join(',');
}

/** A text column; integers count as text, since ids are strings on our side. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return String(value);
  throw new TypeError(`column ${column} is not a text`);
}

/** An integer column; BIGINT and SUM arrive as strings. */
export function integer(row: Row, column: string): number {
  const value = Number(row[column]);
  if (row[column] === null || !Number.isSafeInteger(value)) throw new TypeError(`column ${column} is not an integer`);
  return value;
}

/** A DATETIME column. */
export function date(row: Row, column: string): Date {
  const value = row[column];
  if (value instanceof Date) return value;
  throw new TypeError(`column ${column} is not a date`);
}

/** `read(row, column)`, or null where the column is NULL. */
export function nullable<T>(read: (row: Row, column: string) => T, row: Row, column: string): T | null {
  return row[column] === null || row[column] === undefined ? null : read(row, column);
}
