const ORDER_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** UUIDs of version 7 begin with 48 bits of epoch milliseconds. */
const LAST_MS = 2 ** 48 - 1;

/** Whether a text can be the id of an order. */
export const isOrderId = (value: string): boolean => ORDER_ID.test(value);

/**
 * A text that sorts before the ids of all orders made at this moment or later, and after those of all earlier ones: order ids begin with
 * their `createdAt`, so a time range is a range of ids and needs no index of its own.
 */
export function firstOrderIdAt(epochMs: number): string {
  const hex = Math.min(Math.max(Math.ceil(epochMs), 0), LAST_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
