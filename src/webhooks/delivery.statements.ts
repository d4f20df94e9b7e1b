import type { EntityManager } from 'typeorm';
import { execute, integer, select, text, type Executor } from '../infra/database/index.js';

/** A delivery that this process has in hand until its claim runs out. */
export interface Claimed {
  id: string;
  endpointId: string;
  eventId: string;
  orderingKey: string;
  payload: string;
  /** Which try this is; also tells this claim from later ones. */
  attempt: number;
  untilMs: number;
}

/**
 * Takes up to `limit` due deliveries of an endpoint. Their next try is put off to the end of the claim, so that nobody else takes them, and
 * they come up again by themselves should this process die. Index: ix_webhook_deliveries_due.
 */
export async function claimDue(manager: EntityManager, endpointId: string, limit: number, { nowMs, untilMs }: { nowMs: number; untilMs: number }): Promise<Claimed[]> {
  const rows = await select(
    manager,
    `SELECT id, event_id, ordering_key, payload, attempts FROM webhook_deliveries FORCE INDEX (ix_webhook_deliveries_due)
      WHERE endpoint_id = ? AND next_try_at <= ? ORDER BY next_try_at LIMIT ? FOR UPDATE SKIP LOCKED`,
    [endpointId, new Date(nowMs), limit],
  );
  if (rows.length === 0) return [];
  await execute(manager, 'UPDATE webhook_deliveries SET attempts = attempts + 1, next_try_at = ? WHERE id IN (?)', [new Date(untilMs), rows.map((row) => text(row, 'id'))]);
  return rows.map((row) => ({
    id: text(row, 'id'),
    endpointId,
    eventId: text(row, 'event_id'),
    orderingKey: text(row, 'ordering_key'),
    payload: text(row, 'payload'),
    attempt: integer(row, 'attempts') + 1,
    untilMs,
  }));
}

/** It has arrived; the next of its key may go, if this call was the one to say so. Index: PRIMARY. */
export async function markDelivered(manager: EntityManager, { id, endpointId, orderingKey }: Claimed, nowMs: number): Promise<void> {
  const marked = await execute(
    manager,
    `UPDATE webhook_deliveries SET status = 'delivered', delivered_at = ?, next_try_at = NULL, last_error = NULL WHERE id = ? AND status <> 'delivered'`,
    [new Date(nowMs), id],
  );
  if (marked === 1) await startNext(manager, { endpointId, orderingKey }, nowMs);
}

/** Tries again at `nextTryMs`, or gives up where that is null, unless a later claim has taken over. Index: PRIMARY. */
export async function markFailed(executor: Executor, { id, attempt }: Claimed, error: string, nextTryMs: number | null): Promise<void> {
  await execute(
    executor,
    `UPDATE webhook_deliveries SET status = ?, next_try_at = ?, last_error = ? WHERE id = ? AND attempts = ? AND status = 'pending'`,
    [nextTryMs === null ? 'dead' : 'pending', nextTryMs === null ? null : new Date(nextTryMs), error, id, attempt],
  );
}

/**
 * Sets the earliest waiting delivery of a key going; call it in the transaction that has taken the one before it out of the way.
 * Index: ix_webhook_deliveries_lane.
 */
export async function startNext(manager: EntityManager, { endpointId, orderingKey }: { endpointId: string; orderingKey: string }, nowMs: number): Promise<void> {
  await execute(
    manager,
    `UPDATE webhook_deliveries FORCE INDEX (ix_webhook_deliveries_lane) SET next_try_at = ?
      WHERE ordering_key = ? AND endpoint_id = ? AND status = 'pending' ORDER BY id LIMIT 1`,
    [new Date(nowMs), orderingKey, endpointId],
  );
}
