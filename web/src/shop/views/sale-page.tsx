import { useComputed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { serverTime } from '../../shared/server-clock';
import { phaseOf } from '../state/sale-phase';
import { SalePlace } from '../state/sale-place';
import { oneSale } from '../state/sale-store';
import type { Sale } from '../state/shop-api';
import { isTerminal } from '../state/ticket-status';
import { texts } from '../texts';
import { problemText } from '../texts/problem-text';
import { JoinBar } from './join-bar';
import { Notice, Skeleton } from './notice';
import { Phase, When } from './sale-card';
import { SaleItems } from './sale-items';
import './sale-page.css';
import { TicketPanel } from './ticket-panel';
import { useHeading } from './use-heading';

/** One sale: what is on offer, and the shopper's place in its line. */
export function SalePage({ saleId }: { saleId: string }) {
  const sale = useMemo(() => oneSale(saleId), [saleId]);
  const place = useMemo(() => new SalePlace(saleId), [saleId]);
  useEffect(() => {
    const controller = new AbortController();
    void sale.keep(controller.signal);
    const stopWatching = place.watch();
    return () => {
      controller.abort();
      stopWatching();
    };
  }, [sale, place]);
  const { loading, problems, retry, toSales } = texts.value;
  const { value: problem } = sale.problem;
  if (sale.data.value !== null) return <SaleView sale={sale.data.value} place={place} />;
  if (problem === null) return <Skeleton rows={3} label={loading} />;
  const isGone = problem.status === 404;
  return <Notice title={problemText(problem, problems)} {...(!isGone && { hint: retry })}><a class="button" href="/">{toSales}</a></Notice>;
}

function SaleView({ sale, place }: { sale: Sale; place: SalePlace }) {
  const heading = useHeading(sale.title);
  // Changes when the sale opens or ends, not ten times a second.
  const phase = useComputed(() => phaseOf(sale, serverTime.value)).value;
  const { value: ticket } = place.ticket;
  const holdsTicket = ticket !== null && ticket !== undefined && !isTerminal(ticket.status);
  return (
    <article class="sale">
      <div class="sale-head">
        <a class="sale-back small" href="/"><span aria-hidden="true">←</span>{texts.value.back}</a>
        <div role="status"><Phase phase={phase} /></div>
        <h1 ref={heading} tabIndex={-1}>{sale.title}</h1>
        <When sale={sale} phase={phase} />
      </div>
      {ticket && <TicketPanel ticket={ticket} place={place} />}
      <SaleItems sale={sale} isFixed={holdsTicket || place.joining.value !== 'no' || phase === 'over'} />
      <JoinBar sale={sale} phase={phase} place={place} holdsTicket={holdsTicket} />
    </article>
  );
}
