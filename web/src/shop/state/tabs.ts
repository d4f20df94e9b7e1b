const channel = new BroadcastChannel('seckill.tickets');
const orders = new BroadcastChannel('seckill.orders');

/** Tells the other tabs that an order of the shopper has come or changed. */
export const tellOrders = (): void => orders.postMessage(null);

/** Calls back when another tab has seen an order come or change. @returns how to stop that */
export function listenToOrders(listener: () => void): () => void {
  orders.addEventListener('message', listener);
  return () => orders.removeEventListener('message', listener);
}

/** Tells the other tabs that this one changed the shopper's ticket in a sale. */
export const tellTabs = (saleId: string): void => channel.postMessage(saleId);

/** Calls back with the sale whose ticket another tab has changed. @returns how to stop that */
export function listenToTabs(listener: (saleId: string) => void): () => void {
  const take = ({ data }: MessageEvent<unknown>): void => {
    if (typeof data === 'string') listener(data);
  };
  channel.addEventListener('message', take);
  return () => channel.removeEventListener('message', take);
}

/** Calls back whenever the page is looked at again. @returns how to stop that */
export function listenToReturn(listener: () => void): () => void {
  const take = (): void => {
    if (document.visibilityState === 'visible') listener();
  };
  document.addEventListener('visibilitychange', take);
  return () => document.removeEventListener('visibilitychange', take);
}
