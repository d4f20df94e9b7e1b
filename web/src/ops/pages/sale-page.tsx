import { useRoute } from 'preact-iso';
import type { Schemas } from '../../shared/api';
import { SaleBadge } from '../components/badge';
import { Loaded } from '../components/notes';
import { PageHead } from '../components/page-head';
import { api, ask } from '../console';
import { to } from '../routes';
import { Countdown } from '../sale/countdown';
import { EditSale } from '../sale/edit-sale';
import { LiveSale } from '../sale/live-sale';
import { SaleReport } from '../sale/sale-report';
import { useResource, type Resource } from '../state/resource';
import { texts } from '../texts';
import { OrderList } from './orders-page';
import { MissingPage } from './missing-page';

/** State and times change by themselves, and by other operators. */
const EVERY_MS = 2000;

type Sale = Schemas['OperatorSaleDto'];

/** A sale: live at its address, with orders, report and what can be edited beside. */
export function SalePage() {
  const { saleId = '' } = useRoute().params;
  return <OneSale key={saleId} saleId={saleId} />;
}

function OneSale({ saleId }: { saleId: string }) {
  const { tab = 'live' } = useRoute().params;
  const resource = useResource(saleId, () => ask(api.GET('/api/admin/sales/{saleId}', { params: { path: { saleId } } })), EVERY_MS);
  if (!['live', 'orders', 'report', 'edit'].includes(tab)) return <MissingPage />;
  return (
    <div class="stack">
      <SaleHead saleId={saleId} sale={resource.data.value} tab={tab} />
      <Loaded of={resource} height={600} quiet={tab === 'live'}>{(sale) => <Tab tab={tab} sale={sale} resource={resource} />}</Loaded>
    </div>
  );
}

function Tab({ tab, sale, resource }: { tab: string; sale: Sale; resource: Resource<Sale> }) {
  if (tab === 'orders') return <OrderList saleId={sale.id} />;
  if (tab === 'report') return <SaleReport sale={sale} />;
  if (tab === 'edit') return <EditSale sale={sale} />;
  return <LiveSale sale={sale} changed={(newer) => (newer ? (resource.data.value = newer) : void resource.reload())} />;
}

function SaleHead({ saleId, sale, tab }: { saleId: string; sale: Sale | undefined; tab: string }) {
  const { tabs } = texts.value.sale;
  const links = [['live', to.sale(saleId)], ['orders', to.saleOrders(saleId)], ['report', to.saleReport(saleId)], ['edit', to.editSale(saleId)]] as const;
  return (
    <>
      <PageHead title={sale?.title ?? texts.value.common.loading} />
      <div class="row spread sale-line">
        <div class="row soft sale-state">{sale && <><SaleBadge state={sale.state} /><Countdown sale={sale} /></>}</div>
        <nav class="tabs" aria-label={tabs.label}>
          {links.map(([name, href]) => <a key={name} href={href} aria-current={name === tab ? 'page' : undefined}>{tabs[name]}</a>)}
        </nav>
      </div>
    </>
  );
}
