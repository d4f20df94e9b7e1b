import { useComputed } from '@preact/signals';
import type { Schemas } from '../../shared/api';
import { duration, moment } from '../../shared/format';
import { serverTime } from '../../shared/server-clock';
import { texts } from '../texts';

/** Farther off than this nobody counts hours. */
const FAR_MS = 48 * 3_600_000;

/** How long until the sale opens or ends, by the service's clock; when it does where that is days away. */
export function Countdown({ sale: { state, startsAt, endsAt, claims, closedAt } }: { sale: Schemas['OperatorSaleDto'] }) {
  const seconds = useComputed(() => Math.ceil(serverTime.value / 1000));
  const text = texts.value.sale;
  const until = (at: string, near: string, far: string) => {
    const ms = Date.parse(at) - seconds.value * 1000;
    return ms > FAR_MS ? `${far} ${moment(at)}` : `${near} ${duration(ms)}`;
  };
  if (state === 'ended') return <span>{closedAt ? text.closed : text.over}</span>;
  if (state === 'draft') return <span class="number">{moment(startsAt)} – {moment(endsAt)}</span>;
  if (state === 'scheduled') return <span class="number">{until(startsAt, text.opensIn, text.opensAt)}</span>;
  const line = claims === 'stop' ? text.claimsStopped : text.claimsGoOn;
  return <span class="number">{until(endsAt, text.endsIn, text.endsAt)}{state === 'paused' && ` · ${line}`}</span>;
}
