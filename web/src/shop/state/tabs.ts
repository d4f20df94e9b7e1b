const channel = new BroadcastChannel('seckill.tickets');

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
