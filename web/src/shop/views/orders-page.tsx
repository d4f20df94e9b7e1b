import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { serverNowMs } from '../../shared/server-clock';
import { OrderStore } from '../state/order-store';
import { session, type Order } from '../state/shop-api';
import { signedIn } from '../state/signing-in';
import { listenToOrders, listenToReturn, listenToTabs } from '../state/tabs';
import { texts } from '../texts';
import { problemText } from '../texts/problem-text';
import { Notice, Skeleton } from './notice';
import { OrderRow } from './order-row';
import './orders-page.css';
import { useHeading } from './use-heading';

/** The shopper's own orders. */
export function OrdersPage() {
  const { myOrders, ordersSignIn, signIn } = texts.value;
  const heading = useHeading(myOrders);
  return (
    <div class="orders">
      <h1 ref={heading} tabIndex={-1}>{myOrders}</h1>
      {session.value
        ? <Orders key={session.value.token} />
        : <Notice title={ordersSignIn}><button type="button" class="primary" onClick={() => void signedIn()}>{signIn}</button></Notice>}
    </div>
  );
}

function Orders() {
  const store = useMemo(() => new OrderStore(), []);
  const reload = useReloading(store);
  const { loading, retry, problems, noOrders, noOrdersHint, toSales, loadMore } = texts.value;
  const { orders: { value: orders }, problem: { value: problem } } = store;
  if (orders === null) return problem ? <Notice title={problemText(problem, problems)} hint={retry} /> : <Skeleton rows={3} label={loading} />;
  if (orders.length === 0) return <Notice title={noOrders} hint={noOrdersHint}><a class="button" href="/">{toSales}</a></Notice>;
  return (
    <>
      <ul class="plain-list stack">
        {orders.map((order) => <li key={order.id}><OrderRow order={order} onChanged={(changed) => (changed ? store.take(changed) : reload())} /></li>)}
      </ul>
      {problem && <p class="fault" role="alert">{problemText(problem, problems)}</p>}
      {store.nextCursor.value !== undefined && <button type="button" disabled={store.loadingMore.value} onClick={() => void store.loadMore()}>{loadMore}</button>}
    </>
  );
}

/** An order expires in the second after its deadline; when it was late already it is asked for again in a while. */
const EXPIRED_MS = 2000;
/** An unpaid order may be paid elsewhere, on another device for instance. */
const LOOK_AGAIN_MS = 15_000;
const untilOneExpires = (unpaid: Order[]): number => Math.max(0, Math.min(...unpaid.map(({ payBefore }) => Date.parse(payBefore))) - serverNowMs()) + EXPIRED_MS;

/** Loads the orders, and again when another tab has changed one, the page is looked at again, or an order's time to pay runs out. @returns how to load them now */
function useReloading(store: OrderStore): () => void {
  const reload = useMemo(() => {
    let loading = new AbortController();
    return {
      start: (): void => {
        loading.abort();
        loading = new AbortController();
        void store.load(loading.signal);
      },
      stop: (): void => loading.abort(),
    };
  }, [store]);
  useEffect(() => {
    reload.start();
    const stops = [listenToTabs(reload.start), listenToOrders(reload.start), listenToReturn(reload.start), reload.stop];
    return () => stops.forEach((stop) => stop());
  }, [reload]);
  useSignalEffect(() => {
    const unpaid = (store.orders.value ?? []).filter(({ status }) => status === 'awaiting_payment');
    if (unpaid.length === 0) return;
    const timer = setTimeout(reload.start, Math.min(LOOK_AGAIN_MS, untilOneExpires(unpaid)));
    return () => clearTimeout(timer);
  });
  return reload.start;
}
