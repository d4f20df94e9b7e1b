import { LocationProvider, Route, Router, useRoute } from 'preact-iso';
import './shop-page.css';
import { texts } from './texts';
import { ConnectionBanner } from './views/connection-banner';
import { Header } from './views/header';
import { OrdersPage } from './views/orders-page';
import { Notice } from './views/notice';
import { SalePage } from './views/sale-page';
import { SalesPage } from './views/sales-page';
import { SignInDialog } from './views/sign-in-dialog';
import { useHeading } from './views/use-heading';

/** The addresses that this page shows itself; links to others leave it. */
const OWN = /^\/(?:$|sales\/|orders$)/;

/** The shop: sales, the line, own orders. */
export function ShopPage() {
  return (
    <LocationProvider scope={OWN}>
      <a class="skip" href="#content">{texts.value.skip}</a>
      <Header />
      <ConnectionBanner />
      <main id="content" class="page">
        <Router>
          <Route path="/" component={SalesPage} />
          <Route path="/sales/:saleId" component={SaleRoute} />
          <Route path="/orders" component={OrdersPage} />
          <Route default component={NothingHere} />
        </Router>
      </main>
      <SignInDialog />
    </LocationProvider>
  );
}

function SaleRoute() {
  const { saleId = '' } = useRoute().params;
  return <SalePage key={saleId} saleId={saleId} />;
}

function NothingHere() {
  const { notFound, toSales } = texts.value;
  const heading = useHeading(notFound);
  return <Notice heading={heading} title={notFound}><a class="button" href="/">{toSales}</a></Notice>;
}
