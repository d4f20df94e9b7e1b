import { useComputed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { serverTime } from '../../shared/server-clock';
import { phaseOf, type SalePhase } from '../state/sale-phase';
import { allSales } from '../state/sale-store';
import type { Sale } from '../state/shop-api';
import { texts } from '../texts';
import { problemText } from '../texts/problem-text';
import { Notice, Skeleton } from './notice';
import { SaleCard } from './sale-card';
import './sales-page.css';
import { useHeading } from './use-heading';

/** Sales that are over and still shown. */
const PAST = 4;

/** All sales: those one can join, those that come, and the last ones that are over. */
export function SalesPage() {
  const { sales: title, tagline } = texts.value;
  const heading = useHeading('');
  const sales = useMemo(allSales, []);
  useEffect(() => {
    const controller = new AbortController();
    void sales.keep(controller.signal);
    return () => controller.abort();
  }, [sales]);
  return (
    <div class="sales">
      <div class="sales-head">
        <h1 ref={heading} tabIndex={-1}>{title}</h1>
        <p class="soft">{tagline}</p>
      </div>
      <Content sales={sales} />
    </div>
  );
}

function Content({ sales: { data, problem } }: { sales: ReturnType<typeof allSales> }) {
  const { loading, retry, problems, noSales, noSalesHint, liveNow, upcoming, past } = texts.value;
  // Changes when a sale opens or ends, not ten times a second.
  const phases = useComputed(() => (data.value ?? []).map((sale) => phaseOf(sale, serverTime.value)).join(' '));
  if (data.value === null) return problem.value ? <Notice title={problemText(problem.value, problems)} hint={retry} /> : <Skeleton rows={3} label={loading} />;
  const byPhase = phases.value.split(' ');
  const of = (...wanted: SalePhase[]): Sale[] => (data.value ?? []).filter((_, index) => wanted.some((phase) => phase === byPhase[index]));
  const open = of('live', 'paused');
  const coming = of('upcoming').reverse();
  return (
    <>
      {open.length + coming.length === 0 && <Notice title={noSales} hint={noSalesHint} />}
      <Section title={liveNow} sales={open} />
      <Section title={upcoming} sales={coming} />
      <Section title={past} sales={of('over').slice(0, PAST)} />
    </>
  );
}

function Section({ title, sales }: { title: string; sales: Sale[] }) {
  if (sales.length === 0) return null;
  return (
    <section class="sales-section">
      <h2>{title}</h2>
      <ul class="plain-list stack">
        {sales.map((sale) => <li key={sale.id}><SaleCard sale={sale} /></li>)}
      </ul>
    </section>
  );
}
