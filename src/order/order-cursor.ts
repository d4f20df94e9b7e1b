import { DomainError } from '../infra/errors.js';

const VERSION = 'o1:';
const DECODED = /^o1:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Makes the opaque cursor of the page that follows after an order. */
export function encodeCursor(lastOrderId: string): string {
  return Buffer.from(VERSION + lastOrderId).toString('base64url');
}

/**
 * The id of the order after which the page begins.
 * @throws DomainError VALIDATION_FAILED for anything `encodeCursor` did not make
 */
export function decodeCursor(cursor: string): string {
  const id = DECODED.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  if (id !== undefined && encodeCursor(id) === cursor) return id;
  const message = 'cursor must be the nextCursor of an earlier page';
  throw new DomainError('VALIDATION_FAILED', message, { errors: [{ field: 'cursor', message }] });
}
