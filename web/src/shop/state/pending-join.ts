import { stored } from '../../shared/stored';

/** A join that was sent and not answered yet. */
export interface PendingJoin {
  saleId: string;
  username: string;
  /** Its `Idempotency-Key`: however often it is sent, it happens once. */
  key: string;
  items: { itemId: string; quantity: number }[];
  clickedAtMs: number;
}

/** Somebody who comes back later than that has to click again. */
const FRESH_MS = 120_000;

const isPending = (value: unknown): value is PendingJoin =>
  typeof value === 'object' && value !== null &&
  'saleId' in value && typeof value.saleId === 'string' &&
  'username' in value && typeof value.username === 'string' &&
  'key' in value && typeof value.key === 'string' &&
  'items' in value && Array.isArray(value.items) &&
  'clickedAtMs' in value && typeof value.clickedAtMs === 'number' && Date.now() - value.clickedAtMs < FRESH_MS;

/** Kept until it is answered, also through a reload. */
export const pendingJoin = stored<PendingJoin | null>('seckill.join', (value) => (isPending(value) ? value : undefined), null);
