import type { Sale } from './entities/sale.entity.js';

/** The state of a sale as everyone sees it. */
export type SaleState = 'draft' | 'scheduled' | 'live' | 'paused' | 'ended';

/** Derives the state from what the operator decided and the clock (Redis time, epoch milliseconds). */
export function saleState(sale: Pick<Sale, 'stage' | 'startsAt' | 'endsAt'>, nowMs: number): SaleState {
  if (sale.stage === 'draft' || sale.stage === 'ended') return sale.stage;
  if (nowMs >= sale.endsAt.getTime()) return 'ended';
  if (sale.stage === 'paused') return 'paused';
  return nowMs < sale.startsAt.getTime() ? 'scheduled' : 'live';
}
