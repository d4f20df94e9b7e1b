import type { Schemas } from '../../shared/api';
import { texts } from '../texts';

export type Tone = 'good' | 'warn' | 'bad' | 'calm';

/** A word with a tone. The tone is never all it says. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const SALE_TONES: Record<Schemas['SaleState'], Tone> = { draft: 'calm', scheduled: 'calm', live: 'good', paused: 'warn', ended: 'calm' };

export function SaleBadge({ state }: { state: Schemas['SaleState'] }) {
  return <Badge tone={SALE_TONES[state]}>{texts.value.saleStates[state]}</Badge>;
}

const ORDER_TONES: Record<Schemas['OrderAnswer']['status'], Tone> = { awaiting_payment: 'warn', paid: 'good', expired: 'calm', cancelled: 'calm', refunded: 'calm' };

export function OrderBadge({ order }: { order: Schemas['OrderAnswer'] }) {
  const { orderStatuses, refunds } = texts.value;
  const isOpen = order.refund === 'due' || order.refund === 'failed';
  return (
    <span class="row tight">
      <Badge tone={ORDER_TONES[order.status]}>{orderStatuses[order.status] ?? order.status}</Badge>
      {isOpen && <Badge tone={order.refund === 'failed' ? 'bad' : 'warn'}>{refunds[order.refund ?? ''] ?? ''}</Badge>}
    </span>
  );
}
