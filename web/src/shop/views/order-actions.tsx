import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Problem } from '../../shared/api';
import { serverTime } from '../../shared/server-clock';
import { cancelOrder, payOrder, untilSettled } from '../state/order-store';
import type { Order } from '../state/shop-api';
import { texts } from '../texts';
import { problemText } from '../texts/problem-text';
import { ConfirmButton } from './confirm';
import { Countdown } from './countdown';
import './order-actions.css';

interface Props {
  orderId: string;
  payBefore: string;
  /** An order that was paid, cancelled or closed; null when it may have changed. */
  onChanged: (order: Order | null) => void;
}

type Step = { kind: 'ready' | 'busy' | 'unconfirmed' | 'elsewhere' } | { kind: 'refused'; problem: Problem };

/** Pays an unpaid order, or gives it up, while its time runs. */
export function OrderActions({ orderId, payBefore, onChanged }: Props) {
  const step = useSignal<Step>({ kind: 'ready' });
  const gone = useMemo(() => new AbortController(), []);
  useEffect(() => () => gone.abort(), [gone]);
  const isOver = useComputed(() => serverTime.value >= Date.parse(payBefore)).value;
  const { payIn, timeOver, cancelOrder: cancelLabel, cancelSure, cancelSureHint, cancelYes, pay, payAgain, paying } = texts.value;
  const isBusy = step.value.kind === 'busy';
  const payNow = async (): Promise<void> => {
    step.value = { kind: 'busy' };
    step.value = await payWith(orderId, gone.signal, onChanged);
  };
  const cancelNow = async (): Promise<void> => {
    step.value = { kind: 'busy' };
    const outcome = await cancelOrder(orderId);
    step.value = outcome.ok ? { kind: 'ready' } : { kind: 'refused', problem: outcome.problem };
    onChanged(outcome.ok ? outcome.data : null);
  };
  return (
    <div class="order-actions">
      <p class="pay-time" data-over={isOver}><span class="soft">{isOver ? timeOver : payIn}</span><Countdown until={payBefore} label={payIn} /></p>
      <Told step={step.value} />
      <div class="order-buttons">
        <button type="button" class="primary" disabled={isBusy || isOver} aria-busy={isBusy} onClick={() => void payNow()}>
          {isBusy ? paying : step.value.kind === 'unconfirmed' ? payAgain : pay}
        </button>
        <ConfirmButton label={cancelLabel} title={cancelSure} hint={cancelSureHint} yes={cancelYes} disabled={isBusy} onYes={() => void cancelNow()} />
      </div>
    </div>
  );
}

/** Pays, and waits for the provider's word. A provider with a page of its own takes over here. */
async function payWith(orderId: string, signal: AbortSignal, onChanged: Props['onChanged']): Promise<Step> {
  const outcome = await payOrder(orderId);
  if (!outcome.ok) {
    onChanged(null);
    return { kind: 'refused', problem: outcome.problem };
  }
  const { payment } = outcome.data;
  if (payment?.redirectUrl !== undefined && /^https?:/.test(payment.redirectUrl)) {
    location.assign(payment.redirectUrl);
    return { kind: 'busy' };
  }
  if (payment?.clientSecret !== undefined) return { kind: 'elsewhere' };
  const settled = await untilSettled(orderId, signal);
  if (settled) onChanged(settled);
  return { kind: settled ? 'ready' : 'unconfirmed' };
}

function Told({ step }: { step: Step }) {
  const { payElsewhere, payUnconfirmed, problems } = texts.value;
  const text = step.kind === 'refused' ? problemText(step.problem, problems) : step.kind === 'unconfirmed' ? payUnconfirmed : step.kind === 'elsewhere' ? payElsewhere : '';
  return <p class={step.kind === 'refused' ? 'fault small' : 'soft small'} role="status">{text}</p>;
}
