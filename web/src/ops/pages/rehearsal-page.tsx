import { useRoute } from 'preact-iso';
import type { Schemas } from '../../shared/api';
import { count, moment } from '../../shared/format';
import { Badge } from '../components/badge';
import { CountTable } from '../components/fact';
import { Loaded } from '../components/notes';
import { PageHead } from '../components/page-head';
import { api, ask } from '../console';
import { rate, span } from '../format';
import { to } from '../routes';
import { useResource } from '../state/resource';
import { texts } from '../texts';
import { TONES } from './rehearsals-page';

type Rehearsal = Schemas['RehearsalDto'];

const WHILE_RUNNING_MS = 1000;
const PHASES = ['preparing', 'joining', 'deciding', 'paying', 'proving', 'cleaning', 'done'] as const satisfies Rehearsal['phase'][];

/** One rehearsal: its progress while it runs, then what it found. */
export function RehearsalPage() {
  const { rehearsalId: id = '' } = useRoute().params;
  const rehearsal = useResource(id, () => ask(api.GET('/api/admin/rehearsals/{rehearsalId}', { params: { path: { rehearsalId: id } } })), (data) => (!data || data.state === 'running' ? WHILE_RUNNING_MS : undefined));
  const data = rehearsal.data.value;
  const { rehearsal: text } = texts.value;
  return (
    <div class="stack">
      <PageHead title={data ? text.one(moment(data.startedAt)) : text.title}><a class="button" href={to.rehearsals}>{text.earlier}</a></PageHead>
      <Loaded of={rehearsal} height={480}>{(shown) => <><Progress rehearsal={shown} /><Report rehearsal={shown} /></>}</Loaded>
    </div>
  );
}

function Progress({ rehearsal }: { rehearsal: Rehearsal }) {
  const { state, phase, shoppers, stock, joined, decided, paid, reason } = rehearsal;
  const { rehearsal: text } = texts.value;
  const reached = PHASES.indexOf(phase);
  const bars = [[text.joined, joined, shoppers], [text.decided, decided, shoppers], [text.paid, paid, Math.min(shoppers, stock)]] as const;
  return (
    <section class="card stack" aria-labelledby="progress-title" data-testid="rehearsal" data-state={state}>
      <div class="row spread"><h2 id="progress-title">{text.progress}</h2><span role="status"><Badge tone={TONES[state]}>{text.states[state]}</Badge></span></div>
      <ol class="phases">
        {PHASES.map((name, index) => <li key={name} class={index < reached || phase === 'done' ? 'past' : ''} aria-current={name === phase ? 'step' : undefined}>{text.phases[name]}</li>)}
      </ol>
      {bars.map(([name, value, most]) => (
        <label key={name} class="progress"><span>{name}</span><progress value={value} max={Math.max(1, most)} /><span class="number end">{count(value)} / {count(most)}</span></label>
      ))}
      {reason && <div class="note bad"><p>{reason}</p></div>}
    </section>
  );
}

function Report({ rehearsal: { state, report } }: { rehearsal: Rehearsal }) {
  const { rehearsal: text } = texts.value;
  if (state === 'running') return null;
  return (
    <section class="card stack narrow" aria-labelledby="report-title" data-testid="rehearsal-report">
      <h2 id="report-title">{text.report}</h2>
      {report ? <ReportTable report={report} /> : <p class="soft">{text.noReport}</p>}
    </section>
  );
}

function ReportTable({ report }: { report: Schemas['RehearsalReportDto'] }) {
  const { rehearsal: text, report: { figure, value, joins } } = texts.value;
  const both = ({ p50, p99 }: { p50: number; p99: number }) => `${span(p50)} / ${span(p99)}`;
  const light = report.proofOk ? 'ok' : 'odd';
  return (
    <>
      <div class={`light ${light}`} data-testid="proof" data-proof={light}><span class="lamp" aria-hidden="true" /><strong>{report.proofOk ? text.proofYes : text.proofNo(count(report.oddTokens))}</strong></div>
      <CountTable caption={text.report} head={[figure, value]} rows={[
        [text.seconds, span(report.seconds * 1000)], [joins, count(report.joins)], [text.joinsPerSecond, rate(report.joinsPerSecond)], [text.ordersPerSecond, rate(report.ordersPerSecond)],
        [text.joinMs, both(report.joinMs)], [text.decidedMs, both(report.decidedMs)],
        [text.sold, count(report.sold)], [text.soldOut, count(report.soldOut)], [text.paid, count(report.paid)], [text.cancelled, count(report.cancelled)],
      ]} />
    </>
  );
}
