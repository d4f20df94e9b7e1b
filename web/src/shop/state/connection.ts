import { signal, type ReadonlySignal } from '@preact/signals';

const isLost = signal(!navigator.onLine);
addEventListener('offline', lost);

/** Whether the service was out of reach when it was last asked. Whoever asks again on their own ends this by being answered. */
export const connectionLost: ReadonlySignal<boolean> = isLost;

export function lost(): void {
  isLost.value = true;
}

export function reached(): void {
  isLost.value = false;
}

/** Waits, but not longer than until the browser is back on the network, its page is looked at again, or the wait is called off. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const over = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end, { signal: over.signal });
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && end(), { signal: over.signal });
    signal?.addEventListener('abort', end, { signal: over.signal });
  });
}
