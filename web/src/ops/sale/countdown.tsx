import { useComputed } from '@preact/signals';
import type { Schemas } from '../../shared/api';
import { duration, moment } from '../../shared/format';
import { serverTime } from '../../shared/server-clock';
import { texts } from '../texts';

/** How long until the sale opens or ends, by the service's clock. */
export function Countdown({ sale: { state, startsAt, endsAt, claims, closedAt } }: { sale: Schemas['OperatorSaleDto'] }) {
  const seconds = useComputed(() => Math.ceil(serverTime.value / 1000));
  const text = texts.value.sale;
  const left = (at: string) => duration(Date.parse(at) - seconds.value * 1000);
  if (state === 'ended') return <span>{closedAt ? text.closed : text.over}</span>;
  if (state === 'draft') return <span class="number">{moment(startsAt)} – {moment(endsAt)}</span>;
  if (state === 'scheduled') return <span class="number">{text.opensIn} {left(startsAt)}</span>;
  const line = claims === 'stop' ? text.claimsStopped : text.claimsGoOn;
  return <span class="number">{text.endsIn} {left(endsAt)}{state === 'paused' && ` · ${line}`}</span>;
}
