import { money } from '../../shared/format';
import { linesOf, quantitiesFor } from '../state/basket';
import type { SalePhase } from '../state/sale-phase';
import type { SalePlace } from '../state/sale-place';
import { session, type Sale } from '../state/shop-api';
import { signedIn } from '../state/signing-in';
import { texts } from '../texts';
import { problemText } from '../texts/problem-text';
import type { Texts } from '../texts/texts';
import { Countdown } from './countdown';
import './join-bar.css';

interface Props {
  sale: Sale;
  phase: SalePhase;
  place: SalePlace;
  holdsTicket: boolean;
}

/** What the basket costs, and the one button of a sale. It arms itself when the sale opens, and takes one click at a time. */
export function JoinBar({ sale, phase, place, holdsTicket }: Props) {
  const { total, problems } = texts.value;
  const { value: refusal } = place.refusal;
  if (holdsTicket && refusal === null) return null;
  const quantities = quantitiesFor(sale.id, sale.items);
  const lines = linesOf(quantities);
  const totalMinor = sale.items.reduce((sum, item) => sum + item.priceMinor * (quantities[item.id] ?? 0), 0);
  const isBusy = place.joining.value !== 'no';
  const isArmed = phase === 'live' && lines.length > 0 && !isBusy;
  const lacks = sale.items.some((item) => (quantities[item.id] ?? 0) > item.remaining);
  const titles = new Map(sale.items.map((item) => [item.id, item.title]));
  return (
    <section class="join" aria-label={texts.value.join}>
      <p class="join-refusal" role="alert">{refusal && problemText(refusal, problems, titles)}</p>
      {!holdsTicket && (
        <>
          <Hint phase={phase} place={place} isSoldOut={lacks} />
          <div class="join-in">
            {phase !== 'over' && <p class="join-total"><span class="soft small">{total}</span><strong class="number">{money(totalMinor, sale.items[0]?.currency ?? 'EUR')}</strong></p>}
            <button type="button" class="primary join-button" disabled={!isArmed} aria-busy={isBusy} onClick={() => void place.join(lines)}>
              {phase === 'upcoming' && lines.length > 0 && !isBusy
                ? <>{texts.value.opensIn} <Countdown until={sale.startsAt} /></>
                : labelOf(texts.value, phase, { isBusy, isEmpty: lines.length === 0, lacks, isRepeat: Boolean(place.ticket.value) })}
            </button>
          </div>
        </>
      )}
    </section>
  );
}

interface Basket {
  isBusy: boolean;
  isEmpty: boolean;
  lacks: boolean;
  isRepeat: boolean;
}

function labelOf(words: Texts, phase: SalePhase, { isBusy, isEmpty, lacks, isRepeat }: Basket): string {
  if (isBusy) return words.joining;
  if (phase === 'over') return words.joinOver;
  if (phase === 'paused') return words.joinPaused;
  if (isEmpty) return words.chooseSomething;
  if (lacks) return words.joinSoldOut;
  return isRepeat ? words.joinAgain : words.join;
}

function Hint({ phase, place, isSoldOut }: { phase: SalePhase; place: SalePlace; isSoldOut: boolean }) {
  const { readyHint, signIn, joinAgainHint, stopJoining, soldOutHint } = texts.value;
  if (place.joining.value === 'again') {
    return <p class="join-hint small" role="status">{joinAgainHint} <button type="button" class="link" onClick={() => place.stopJoining()}>{stopJoining}</button></p>;
  }
  // It stays when the sale opens: nothing may move under a finger in that second.
  if (!session.value && (phase === 'upcoming' || (phase === 'live' && !isSoldOut))) {
    return <p class="join-hint small">{readyHint} <button type="button" class="link" onClick={() => void signedIn()}>{signIn}</button></p>;
  }
  return phase === 'live' && isSoldOut && place.refusal.value === null ? <p class="join-hint small soft">{soldOutHint}</p> : null;
}
