import { signal } from '@preact/signals';
import type { Outcome, Problem } from '../../shared/api';
import { backoffMs } from './backoff';
import { pause } from './connection';
import { api, ask, type Order, type PaidOrder } from './shop-api';
import { tellTabs } from './tabs';

/** After a payment was begun: how often to look whether it was confirmed, and how many times. */
const [CONFIRM_MS, CONFIRM_TRIES] = [1000, 20];

/** The shopper's own orders, newest first. */
export class OrderStore {
  /** Null until the first page is there. */
  readonly orders = signal<Order[] | null>(null);
  readonly problem = signal<Problem | null>(null);
  readonly nextCursor = signal<string | undefined>(undefined);
  readonly loadingMore = signal(false);

  /** Reads the first page, until it is answered; further ones that were open are dropped, as their cursors may be wrong by now. */
  async load(signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted; tries += 1) {
      const outcome = await ask(api.GET('/api/orders'));
      if (signal.aborted) return;
      this.problem.value = outcome.ok ? null : outcome.problem;
      if (outcome.ok) {
        this.orders.value = outcome.data.orders;
        this.nextCursor.value = outcome.data.nextCursor;
      }
      if (outcome.ok || outcome.problem.code === 'UNAUTHENTICATED') return;
      await pause(outcome.problem.retryAfterMs ?? backoffMs(tries), signal);
    }
  }

  async loadMore(): Promise<void> {
    const cursor = this.nextCursor.peek();
    if (cursor === undefined || this.loadingMore.peek()) return;
    this.loadingMore.value = true;
    const outcome = await ask(api.GET('/api/orders', { params: { query: { cursor } } }));
    this.loadingMore.value = false;
    this.problem.value = outcome.ok ? null : outcome.problem;
    if (!outcome.ok) return;
    this.orders.value = [...(this.orders.peek() ?? []), ...outcome.data.orders];
    this.nextCursor.value = outcome.data.nextCursor;
  }

  /** Takes over an order that was changed. */
  take(changed: Order): void {
    this.orders.value = this.orders.peek()?.map((order) => (order.id === changed.id ? changed : order)) ?? null;
  }
}

const path = (orderId: string) => ({ params: { path: { orderId } } });

export const readOrder = (orderId: string): Promise<Outcome<Order>> => ask(api.GET('/api/orders/{orderId}', path(orderId)));

/** Begins a payment, or takes up the one that is under way: a repeat never pays twice. */
export const payOrder = (orderId: string): Promise<Outcome<PaidOrder>> => ask(api.POST('/api/orders/{orderId}/pay', path(orderId)));

export async function cancelOrder(orderId: string): Promise<Outcome<PaidOrder>> {
  const outcome = await ask(api.POST('/api/orders/{orderId}/cancel', path(orderId)));
  if (outcome.ok) tellTabs(outcome.data.saleId);
  return outcome;
}

/** Looks until an order is no longer unpaid. @returns it, or null when it is still unpaid after a while */
export async function untilSettled(orderId: string, signal: AbortSignal): Promise<Order | null> {
  for (let tries = 0; tries < CONFIRM_TRIES && !signal.aborted; tries += 1) {
    const outcome = await readOrder(orderId);
    if (outcome.ok && outcome.data.status !== 'awaiting_payment') {
      tellTabs(outcome.data.saleId);
      return outcome.data;
    }
    await pause(CONFIRM_MS, signal);
  }
  return null;
}
