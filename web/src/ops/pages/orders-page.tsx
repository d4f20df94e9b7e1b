import { useLocation } from 'preact-iso';
import { money, moment } from '../../shared/format';
import type { Schemas } from '../../shared/api';
import { OrderBadge } from '../components/badge';
import { DownloadButton } from '../components/download-button';
import { Empty, Loaded } from '../components/notes';
import { OrderFilters } from '../components/order-filters';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { api, ask } from '../console';
import { to, withQuery } from '../routes';
import { useResource } from '../state/resource';
import { filterOf, queryOf } from '../state/order-filter';
import { texts } from '../texts';

/** The orders of all sales. */
export function OrdersPage() {
  return (
    <div class="stack">
      <PageHead title={texts.value.orders.title} />
      <OrderList />
    </div>
  );
}

/** Orders to look through, of one sale or of all. Address and filters are one, so that a reload and the way back find the same. */
export function OrderList({ saleId }: { saleId?: string }) {
  const { query, path, route } = useLocation();
  const filter = filterOf(query);
  const page = useResource(JSON.stringify([saleId, query]), () => ask(api.GET('/api/admin/orders', { params: { query: queryOf(filter, query.cursor, saleId) } })));
  const { orders: text } = texts.value;
  return (
    <>
      <OrderFilters key={path} filter={filter} hasSale={saleId !== undefined} faults={page.problem.value?.errors ?? []} change={(changed) => route(withQuery(path, { ...changed }))} />
      {saleId && <div class="row"><DownloadButton path={`/api/admin/sales/${saleId}/orders.csv`} name={`orders-${saleId}.csv`} label={text.export} /></div>}
      <Loaded of={page} height={320}>
        {(data) => (
          <>
            {data.orders.length === 0 ? <Empty title={text.empty} hint={text.emptyHint} /> : <OrdersTable orders={data.orders} />}
            <Pager older={data.nextCursor && withQuery(path, { ...filter, cursor: data.nextCursor })} newest={query.cursor && withQuery(path, { ...filter })} />
          </>
        )}
      </Loaded>
    </>
  );
}

function OrdersTable({ orders }: { orders: Schemas['OperatorOrderAnswer'][] }) {
  const { orders: text } = texts.value;
  return (
    <div class="table-card" tabIndex={0} role="region" aria-label={text.title}>
      <table>
        <caption class="visually-hidden">{text.title}</caption>
        <thead>
          <tr>
            <th scope="col">{text.order}</th><th scope="col">{text.user}</th><th scope="col">{text.status}</th><th scope="col" class="wide-only">{text.lines}</th>
            <th scope="col" class="end">{text.amount}</th><th scope="col" class="wide-only">{text.created}</th>
          </tr>
        </thead>
        <tbody>
          {orders.map((order) => (
            <tr key={order.id}>
              <th scope="row"><a class="number" href={to.order(order.id)} title={order.id}>…{order.id.slice(-8)}</a></th>
              <td>{order.user.username ?? text.gone}</td>
              <td><OrderBadge order={order} /></td>
              <td class="wide-only soft">{order.lines.map(({ quantity, title }) => `${quantity} × ${title}`).join(', ')}</td>
              <td class="end number">{money(order.amountMinor, order.currency)}</td>
              <td class="number soft wide-only">{moment(order.createdAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
