import { signal, type ReadonlySignal } from '@preact/signals';
import { backoffMs } from './backoff';

const isLost = signal(false);
addEventListener('offline', lost);

/** Asks for little and needs no session: whatever is answered, the service is there. */
const PROBE = '/api/sales?state=paused';

/** Whether the service was out of reach when it was last asked. */
export const connectionLost: ReadonlySignal<boolean> = isLost;

/** Whatever else is asked again meanwhile, the service is looked for until it answers. */
export function lost(): void {
  if (isLost.peek()) return;
  isLost.value = true;
  void lookForService();
}

if (!navigator.onLine) lost();

export function reached(): void {
  isLost.value = false;
}

async function lookForService(): Promise<void> {
  for (let tries = 0; isLost.peek(); tries += 1) {
    await pause(backoffMs(tries));
    if (isLost.peek() && (await answers())) reached();
  }
}

async function answers(): Promise<boolean> {
  try {
    const { status } = await fetch(PROBE, { cache: 'no-store', signal: AbortSignal.timeout(10_000) });
    return status !== 502 && status !== 504;
  } catch {
    return false;
  }
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
