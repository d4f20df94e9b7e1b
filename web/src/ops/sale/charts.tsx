import { useSignal } from '@preact/signals';
import type { Outcome, Schemas } from '../../shared/api';
import { LineChart } from '../components/line-chart';
import { ProblemNote } from '../components/notes';
import { api, ask } from '../console';
import { useResource } from '../state/resource';
import { texts } from '../texts';
import { append, ratesOf, timesOf } from './rates';

const EVERY_MS = 2000;
/** As many as the service keeps. */
const MOST_POINTS = 900;
const RECENT_MS = 300_000;
const SPANS = ['recent', 'all'] as const;

/** Joins, orders and the line over time. */
export function Charts({ saleId }: { saleId: string }) {
  const series = useResource(`series ${saleId}`, seriesOf(saleId), EVERY_MS);
  const span = useSignal<(typeof SPANS)[number]>('recent');
  const points = span.value === 'recent' ? recent(series.data.value ?? []) : (series.data.value ?? []);
  const times = timesOf(points);
  const { sale } = texts.value;
  const { lines } = sale;
  return (
    <section class="card stack" aria-labelledby="charts-title">
      <div class="row spread">
        <h2 id="charts-title">{sale.charts}</h2>
        <select class="small" aria-label={sale.chartsSpan} value={span.value} onChange={(event) => (span.value = event.currentTarget.value === 'all' ? 'all' : 'recent')}>
          {SPANS.map((name) => <option key={name} value={name}>{sale.chartsSpans[name]}</option>)}
        </select>
      </div>
      {series.problem.value && points.length === 0 && <ProblemNote problem={series.problem.value} />}
      <div class="charts">
        <LineChart title={sale.joinsChart} times={times} lines={[
          { label: lines.joins, colour: '--series-1', values: ratesOf(points, 'joins') },
          { label: lines.refused, colour: '--series-3', values: ratesOf(points, 'refused') },
        ]} />
        <LineChart title={sale.ordersChart} times={times} lines={[
          { label: lines.ordered, colour: '--series-2', values: ratesOf(points, 'ordered') },
          { label: lines.paid, colour: '--series-1', values: ratesOf(points, 'paid') },
        ]} />
        <LineChart title={sale.lineChart} times={times} lines={[
          { label: lines.waiting, colour: '--series-2', values: points.map(({ waiting }) => waiting) },
          { label: lines.standby, colour: '--series-4', values: points.map(({ standby }) => standby) },
        ]} />
      </div>
    </section>
  );
}

/** Reckoned from the newest, so that a sale that is over shows its end. */
function recent(points: Schemas['SamplePointView'][]): Schemas['SamplePointView'][] {
  const fromMs = Date.parse(points.at(-1)?.at ?? '') - RECENT_MS;
  return points.filter(({ at }) => Date.parse(at) >= fromMs);
}

/** Asks for what is newer than what is known. */
function seriesOf(saleId: string): () => Promise<Outcome<Schemas['SamplePointView'][]>> {
  let points: Schemas['SamplePointView'][] = [];
  return async () => {
    const since = points.at(-1)?.at;
    const outcome = await ask(api.GET('/api/admin/sales/{saleId}/series', { params: { path: { saleId }, query: since ? { since } : {} } }));
    if (!outcome.ok) return outcome;
    points = append(points, outcome.data.points, MOST_POINTS);
    return { ok: true, data: points };
  };
}
