import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 5;

/** Looks every few milliseconds until the answer is yes. @throws Error naming `what` after the deadline */
export async function until(what: string, deadlineMs: number, look: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`gave up waiting for ${what}`);
    await delay(PAUSE_MS);
  }
}
