import { useLocation } from 'preact-iso';
import type { Schemas } from '../../shared/api';
import { money, moment } from '../../shared/format';
import { Empty, Loaded } from '../components/notes';
import { PageHead } from '../components/page-head';
import { Pager } from '../components/pager';
import { api, ask } from '../console';
import { to, withQuery } from '../routes';
import { useResource } from '../state/resource';
import { texts } from '../texts';

export function GoodsPage() {
  const { cursor } = useLocation().query;
  const page = useResource(`goods ${cursor}`, () => ask(api.GET('/api/admin/goods', { params: { query: cursor ? { cursor } : {} } })));
  const { goods } = texts.value;
  return (
    <div class="stack">
      <PageHead title={goods.title}><a class="button primary" href={to.newGoods}>{goods.create}</a></PageHead>
      <Loaded of={page} height={320}>
        {(data) => (
          <>
            {data.goods.length === 0 ? <Empty title={goods.empty} hint={goods.emptyHint} /> : <GoodsTable goods={data.goods} />}
            <Pager older={data.nextCursor && withQuery(to.goods, { cursor: data.nextCursor })} newest={cursor && to.goods} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function GoodsTable({ goods }: { goods: Schemas['GoodsDto'][] }) {
  const text = texts.value.goods;
  return (
    <div class="table-card" tabIndex={0} role="region" aria-label={text.title}>
      <table>
        <caption class="visually-hidden">{text.title}</caption>
        <thead><tr><th scope="col">{text.name}</th><th scope="col" class="end">{text.price}</th><th scope="col" class="wide-only">{text.created}</th></tr></thead>
        <tbody>
          {goods.map(({ id, title, listPriceMinor, currency, createdAt }) => (
            <tr key={id}>
              <th scope="row"><a href={to.editGoods(id)} aria-label={text.editOne(title)}>{title}</a></th>
              <td class="end number">{money(listPriceMinor, currency)}</td>
              <td class="number soft wide-only">{moment(createdAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
