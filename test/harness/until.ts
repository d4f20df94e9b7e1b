import { setTimeout as delay } from 'node:timers/promises';

/** The pauses between looks grow, so that a crowd that waits does not keep the service busy with its questions. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [10, 150, 1.25];

/**
 * Waits until `look` answers something other than undefined, null or false, and answers that.
 * @throws Error naming `what` after the deadline
 */
export async function until<T>(what: string, look: () => Promise<T | undefined | null | false> | T | undefined | null | false, deadlineMs = 15_000): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH)) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > end) throw new Error(`gave up waiting for: ${what}`);
    await delay(pauseMs);
  }
}
