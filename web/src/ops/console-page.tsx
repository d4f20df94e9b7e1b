import { useRef } from 'preact/hooks';
import { LocationProvider, Route, Router } from 'preact-iso';
import { Frame } from './components/frame';
import { session } from './console';
import { GoodsFormPage } from './pages/goods-form-page';
import { GoodsPage } from './pages/goods-page';
import { MissingPage } from './pages/missing-page';
import { OrderPage } from './pages/order-page';
import { OrdersPage } from './pages/orders-page';
import { RehearsalPage } from './pages/rehearsal-page';
import { RehearsalsPage } from './pages/rehearsals-page';
import { NewSalePage } from './pages/sale-form-page';
import { SalePage } from './pages/sale-page';
import { SalesPage } from './pages/sales-page';
import { SignInPage } from './pages/sign-in-page';

/** The dashboard of the queues lies below `/ops` too, and is no page of this console. */
const SCOPE = /^\/ops(?!\/queues)(\/|\?|$)/;

/** The operator's console. Whoever is not signed in signs in first, and then sees the page of the address. */
export function ConsolePage() {
  const main = useRef<HTMLElement>(null);
  if (!session.value) return <SignInPage />;
  return (
    <LocationProvider scope={SCOPE}>
      <Frame main={main}>
        <Router onRouteChange={() => main.current?.focus()}>
          <Route path="/ops" component={SalesPage} />
          <Route path="/ops/sales/new" component={NewSalePage} />
          <Route path="/ops/sales/:saleId/:tab?" component={SalePage} />
          <Route path="/ops/goods" component={GoodsPage} />
          <Route path="/ops/goods/:goodsId" component={GoodsFormPage} />
          <Route path="/ops/orders" component={OrdersPage} />
          <Route path="/ops/orders/:orderId" component={OrderPage} />
          <Route path="/ops/rehearsals" component={RehearsalsPage} />
          <Route path="/ops/rehearsals/:rehearsalId" component={RehearsalPage} />
          <Route default component={MissingPage} />
        </Router>
      </Frame>
    </LocationProvider>
  );
}
