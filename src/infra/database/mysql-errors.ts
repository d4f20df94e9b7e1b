/** Codes of MySQL and MariaDB (and of the network below them) that this service tells apart. */
const UNAVAILABLE = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'PROTOCOL_CONNECTION_LOST', 'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_CON_COUNT_ERROR', 'ER_SERVER_SHUTDOWN', 'ER_NORMAL_SHUTDOWN', 'ER_CONNECTION_KILLED', 'ER_QUERY_INTERRUPTED',
  'ER_OPTION_PREVENTS_STATEMENT', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_DISK_FULL',
]);

/** The driver's error code, also when TypeORM wrapped the error. */
export function mysqlCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'driverError' in error ? mysqlCode(error.driverError) : undefined;
}

export const isDuplicateKey = (error: unknown): boolean => mysqlCode(error) === 'ER_DUP_ENTRY';

export const isDeadlock = (error: unknown): boolean => mysqlCode(error) === 'ER_LOCK_DEADLOCK';

/** Another transaction kept a row for longer than this one could wait. */
export const isLockTimeout = (error: unknown): boolean => mysqlCode(error) === 'ER_LOCK_WAIT_TIMEOUT';

/** Other transactions stood in the way: the whole of this one may be tried again. */
export const isTransient = (error: unknown): boolean => isDeadlock(error) || isLockTimeout(error);

/** The database could not be reached or refuses work just now. A commit under way may or may not have happened. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (UNAVAILABLE.has(mysqlCode(error) ?? '')) return true;
  return error instanceof Error && /closed state|Connection lost|Pool is closed/.test(error.message);
}
