import { useLocation } from 'preact-iso';
import type { Schemas } from '../../shared/api';
import { count, moment } from '../../shared/format';
import { SaleBadge } from '../components/badge';
import { Empty, Loaded } from '../components/notes';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { api, ask } from '../console';
import { to, withQuery } from '../routes';
import { useResource } from '../state/resource';
import { texts } from '../texts';

const STATES = ['draft', 'scheduled', 'live', 'paused', 'ended'] as const satisfies Schemas['SaleState'][];
/** The states of sales change by themselves. */
const EVERY_MS = 5000;

export function SalesPage() {
  const { query, route } = useLocation();
  const { cursor } = query;
  const state = STATES.find((name) => name === query.state);
  const page = useResource(`sales ${state} ${cursor}`, () => ask(api.GET('/api/admin/sales', { params: { query: { ...(state && { state }), ...(cursor && { cursor }) } } })), EVERY_MS);
  const { sales, saleStates, common } = texts.value;
  return (
    <div class="stack">
      <PageHead title={sales.title}><a class="button primary" href={to.newSale}>{sales.create}</a></PageHead>
      <label class="row filter">
        <span>{sales.state}</span>
        <select value={state ?? ''} onChange={(event) => route(withQuery(to.sales, { state: event.currentTarget.value }), true)}>
          <option value="">{common.all}</option>
          {STATES.map((name) => <option key={name} value={name}>{saleStates[name]}</option>)}
        </select>
      </label>
      <Loaded of={page} height={320}>
        {(data) => (
          <>
            {data.sales.length === 0 ? <Empty title={sales.empty} hint={sales.emptyHint} /> : <SalesTable sales={data.sales} />}
            <Pager older={data.nextCursor && withQuery(to.sales, { state, cursor: data.nextCursor })} newest={cursor && withQuery(to.sales, { state })} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function SalesTable({ sales }: { sales: Schemas['OperatorSaleDto'][] }) {
  const text = texts.value.sales;
  return (
    <div class="table-card" tabIndex={0} role="region" aria-label={text.title}>
      <table>
        <caption class="visually-hidden">{text.title}</caption>
        <thead>
          <tr>
            <th scope="col" class="wide-only">{text.number}</th><th scope="col">{text.name}</th><th scope="col">{text.state}</th><th scope="col" class="wide-only">{text.starts}</th>
            <th scope="col" class="wide-only">{text.ends}</th><th scope="col" class="end">{text.sold}</th><th scope="col" class="end">{text.stock}</th>
          </tr>
        </thead>
        <tbody>{sales.map((sale) => <SaleRow key={sale.id} sale={sale} />)}</tbody>
      </table>
    </div>
  );
}

function SaleRow({ sale: { id, title, state, startsAt, endsAt, items } }: { sale: Schemas['OperatorSaleDto'] }) {
  const sum = (name: 'sold' | 'stock') => count(items.reduce((total, item) => total + item[name], 0));
  return (
    <tr>
      <td class="number soft wide-only">{id}</td>
      <th scope="row"><a href={to.sale(id)}>{title}</a></th>
      <td><SaleBadge state={state} /></td>
      <td class="number soft wide-only">{moment(startsAt)}</td>
      <td class="number soft wide-only">{moment(endsAt)}</td>
      <td class="end number">{sum('sold')}</td>
      <td class="end number">{sum('stock')}</td>
    </tr>
  );
}
