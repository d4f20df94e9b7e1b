import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES = 16;
const pool = new Uint8Array(256 * BYTES);
let used = pool.length;

/** A new ticket id: a UUID of version 7. Its random bytes are fetched for many ids at once, since each fetch costs as much as a Redis command. */
export const newTicketId = (): string => v7({ rng: nextBytes });

function nextBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return pool.subarray(used - BYTES, used);
}
