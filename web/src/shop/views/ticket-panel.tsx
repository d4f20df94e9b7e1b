import { useEffect, useRef } from 'preact/hooks';
import { count, money } from '../../shared/format';
import type { SalePlace } from '../state/sale-place';
import type { Ticket } from '../state/shop-api';
import { isTerminal, isWaiting, progressOf } from '../state/ticket-status';
import { texts } from '../texts';
import { outcomeOfTicket } from '../texts/ticket-outcome';
import type { Texts } from '../texts/texts';
import { ConfirmButton } from './confirm';
import { OrderActions } from './order-actions';
import './ticket-panel.css';

interface Props {
  ticket: Ticket;
  place: SalePlace;
}

/** The shopper's ticket: where it stands, or what became of it, and what can be done about it. */
export function TicketPanel({ ticket, place }: Props) {
  const { status, ticketId } = ticket;
  const { title, text } = wordsOf(ticket, texts.value);
  return (
    <section class="ticket" data-testid="ticket" data-status={status} aria-label={texts.value.yourTicket}>
      <div class="ticket-main">
        <div role="status">
          <TicketTitle key={ticketId} title={title} status={status} />
          <p class="soft">{text}</p>
        </div>
        {isWaiting(status) && <Line ticket={ticket} from={place.startOf(ticket)} />}
      </div>
      {(!isTerminal(status) || status === 'paid') && <div class="ticket-stub"><Stub ticket={ticket} place={place} /></div>}
    </section>
  );
}

function wordsOf({ status, reason }: Ticket, words: Texts): { title: string; text: string } {
  const outcome = outcomeOfTicket(status, reason);
  if (outcome) return words.outcomes[outcome];
  if (status === 'awaiting_payment') return { title: words.toPay, text: words.toPayHint };
  if (status === 'standby') return { title: words.standby, text: words.standbyHint };
  return status === 'reserved' ? { title: words.reserved, text: words.reservedHint } : { title: words.queued, text: words.queuedHint };
}

/** Takes the focus when a ticket comes that was not there a moment ago: its button is gone from under the shopper's finger. */
function TicketTitle({ title, status }: { title: string; status: Ticket['status'] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const isUnfocused = document.activeElement === null || document.activeElement === document.body;
    if (isUnfocused && !isTerminal(status)) heading.current?.focus();
  }, []);
  return <h2 ref={heading} tabIndex={-1}>{title}</h2>;
}

/** The place, how long it still takes, and how far it has come. Its height stays, whatever is known of them. */
function Line({ ticket: { status, position = 1, etaSeconds }, from }: { ticket: Ticket; from: number }) {
  const { place, placeStandby, etaLabel, eta, progress } = texts.value;
  const done = Math.round(progressOf(from, position) * 100);
  return (
    <div class="line">
      <div class="line-numbers">
        <p><span class="soft small">{status === 'standby' ? placeStandby : place}</span><strong class="line-place number">{count(position)}</strong></p>
        {etaSeconds !== undefined && <p class="line-eta"><span class="soft small">{etaLabel}</span><strong class="number">{eta(etaSeconds)}</strong></p>}
      </div>
      {status !== 'standby' && (
        <div class="line-progress" role="progressbar" aria-label={progress} aria-valuemin={0} aria-valuemax={100} aria-valuenow={done}>
          <span style={{ transform: `scaleX(${Math.max(0.02, done / 100)})` }} />
        </div>
      )}
    </div>
  );
}

function Stub({ ticket: { status, orderId, payBefore, amountMinor, currency }, place }: Props) {
  const { leave, leaveSure, leaveSureHint, leaveYes, amount, myOrders } = texts.value;
  if (status === 'paid') return <a class="button" href="/orders">{myOrders}</a>;
  if (status !== 'awaiting_payment') {
    return <ConfirmButton label={leave} title={leaveSure} hint={leaveSureHint} yes={leaveYes} disabled={place.leaving.value} onYes={() => void place.leave()} />;
  }
  if (orderId === undefined || payBefore === undefined) return null;
  return (
    <>
      {amountMinor !== undefined && currency !== undefined && <p class="row spread"><span class="soft">{amount}</span><strong class="ticket-amount number">{money(amountMinor, currency)}</strong></p>}
      <OrderActions orderId={orderId} payBefore={payBefore} onChanged={() => place.changed()} />
    </>
  );
}
