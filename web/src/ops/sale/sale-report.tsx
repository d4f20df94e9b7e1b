import type { Schemas } from '../../shared/api';
import { count, money, moment } from '../../shared/format';
import { DownloadButton } from '../components/download-button';
import { CountTable } from '../components/fact';
import { Loaded } from '../components/notes';
import { api, ask } from '../console';
import { share, span } from '../format';
import { useResource } from '../state/resource';
import { texts } from '../texts';

type Report = Schemas['SaleReportView'];

const EVERY_MS = 5000;

/** How the sale went; final once nothing of it is under way. */
export function SaleReport({ sale: { id, title } }: { sale: Schemas['OperatorSaleDto'] }) {
  const report = useResource(`report ${id}`, () => ask(api.GET('/api/admin/sales/{saleId}/report', { params: { path: { saleId: id } } })), (data) => (data?.closedAt ? undefined : EVERY_MS));
  const { report: text } = texts.value;
  return (
    <div class="stack">
      <div class="row">
        <DownloadButton path={`/api/admin/sales/${id}/report.csv`} name={`report-${id}.csv`} label={text.csv} />
        <DownloadButton path={`/api/admin/sales/${id}/orders.csv`} name={`orders-${id}.csv`} label={text.orders} />
      </div>
      <Loaded of={report} height={480}>
        {(data) => (
          <>
            <p class="soft number">{data.closedAt ? `${text.final} ${moment(data.closedAt)}` : text.running}</p>
            <Items report={data} title={title} />
            <div class="columns"><Figures report={data} /><Counts report={data} /></div>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Figures({ report }: { report: Report }) {
  const { report: text, sale } = texts.value;
  const { startsAt, endedAt, soldOutAt, secondsToSellOut, waitMs, currency } = report;
  const rows: [string, string | undefined][] = [
    [text.startsAt, moment(startsAt)], [text.endedAt, endedAt && moment(endedAt)],
    [text.joins, count(report.joins)], [text.decided, count(report.decided)],
    [text.soldOutAt, soldOutAt && moment(soldOutAt)], [text.soldOutIn, secondsToSellOut === undefined ? undefined : text.seconds(secondsToSellOut.toFixed(1))],
    [text.paidMoney, money(report.paidMinor, currency)], [text.refundedMoney, money(report.refundedMinor, currency)],
    [`${text.waits}: ${sale.p50}`, waitMs && span(waitMs.p50)], [`${text.waits}: ${sale.p99}`, waitMs && span(waitMs.p99)], [`${text.waits}: ${text.longest}`, waitMs && span(waitMs.longest)],
  ];
  return <section class="card"><CountTable caption={text.title} head={[text.figure, text.value]} rows={rows.map(([name, value]) => [name, value ?? texts.value.common.none])} /></section>;
}

function Counts({ report }: { report: Report }) {
  const { report: text, orderStatuses, sale, common } = texts.value;
  const groups = [
    [text.orderCounts, report.orders, orderStatuses],
    [text.decisions, report.decisions, text.decisionNames],
    [text.refusals, report.refusals, sale.refusalCodes],
  ] as const;
  return (
    <section class="card stack">
      {groups.map(([title, counts, names]) => (
        <CountTable key={title} caption={title} head={[title, common.count]} rows={Object.entries(counts).map(([name, value]) => [names[name] ?? name, count(value)] as const)} />
      ))}
    </section>
  );
}

function Items({ report, title }: { report: Report; title: string }) {
  const { report: text } = texts.value;
  return (
    <section class="card">
      <table>
        <caption class="visually-hidden">{title}: {text.items}</caption>
        <thead><tr><th scope="col">{text.item}</th><th scope="col" class="end">{text.stock}</th><th scope="col" class="end">{text.sold}</th><th scope="col" class="end">{text.left}</th></tr></thead>
        <tbody>
          {report.items.map(({ itemId, title: item, stock, sold, left }) => (
            <tr key={itemId}><th scope="row">{item}</th><td class="end number">{count(stock)}</td><td class="end number">{count(sold)} <span class="soft small nowrap">({share(sold, stock)})</span></td><td class="end number">{count(left)}</td></tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
