import { useComputed } from '@preact/signals';
import { moment, money } from '../../shared/format';
import { serverNowMs, serverTime } from '../../shared/server-clock';
import { phaseOf, type SalePhase } from '../state/sale-phase';
import type { Sale } from '../state/shop-api';
import { texts } from '../texts';
import { Countdown } from './countdown';
import { Picture } from './picture';
import './sale-card.css';

/** A sale in the list: when, what, from how much. */
export function SaleCard({ sale }: { sale: Sale }) {
  const phase = useComputed(() => phaseOf(sale, serverTime.value)).value;
  const { itemCount, from } = texts.value;
  const cheapest = sale.items.reduce((least, item) => (item.priceMinor < least.priceMinor ? item : least), sale.items[0] ?? { priceMinor: 0, currency: 'EUR' });
  return (
    <a class="sale-card" href={`/sales/${sale.id}`} data-phase={phase}>
      <div class="sale-card-pictures" aria-hidden="true">{sale.items.slice(0, 3).map((item) => <Picture key={item.id} title={item.title} imageUrl={item.imageUrl} />)}</div>
      <div class="sale-card-words">
        <Phase phase={phase} />
        <h3>{sale.title}</h3>
        <p class="soft small">{itemCount(sale.items.length)} · {from(money(cheapest.priceMinor, cheapest.currency))}</p>
      </div>
      <When sale={sale} phase={phase} />
    </a>
  );
}

/** The phase of a sale as a small mark. */
export function Phase({ phase }: { phase: SalePhase }) {
  return <span class="phase" data-phase={phase}>{texts.value.phase[phase]}</span>;
}

/** A countdown to what comes next in a sale; for one that is over, when that was. */
export function When({ sale, phase }: { sale: Sale; phase: SalePhase }) {
  const { opensIn, endsIn, openedAt, until, endedAt, pausedHint } = texts.value;
  if (phase === 'over') {
    // One that was ended early keeps the end it was planned with.
    const isKnown = Date.parse(sale.endsAt) <= serverNowMs();
    return <div class="when">{isKnown && <span class="soft small">{endedAt(moment(sale.endsAt))}</span>}</div>;
  }
  const isAhead = phase === 'upcoming';
  return (
    <div class="when">
      <span class="soft small">{isAhead ? opensIn : endsIn}</span>
      <Countdown until={isAhead ? sale.startsAt : sale.endsAt} />
      <span class="soft small">{isAhead ? openedAt(moment(sale.startsAt)) : phase === 'paused' ? pausedHint : until(moment(sale.endsAt))}</span>
    </div>
  );
}
