import { signal, type ReadonlySignal } from '@preact/signals';
import type { Outcome, Problem } from '../../shared/api';
import { serverNowMs, setServerClock } from '../../shared/server-clock';
import { backoffMs } from './backoff';
import { pause } from './connection';
import { phaseOf } from './sale-phase';
import { api, ask, type Sale } from './shop-api';

/** What was loaded last, and what the last try was refused with; neither while it loads for the first time. */
export interface Loaded<T> {
  data: ReadonlySignal<T | null>;
  problem: ReadonlySignal<Problem | null>;
  /** Loads it now and then until it is called off. */
  keep(signal: AbortSignal): Promise<void>;
}

const LIST_MS = 15_000;
const [LIVE_MS, QUIET_MS] = [2500, 15_000];
const GONE = new Set(['SALE_NOT_FOUND', 'NOT_FOUND']);

/** All sales that were published, latest start first. */
export const allSales = (): Loaded<Sale[]> =>
  loaded(
    async () => {
      const askedAtMs = performance.now();
      const outcome = await ask(api.GET('/api/sales'));
      if (!outcome.ok) return outcome;
      for (const { serverTime } of outcome.data.sales.slice(0, 1)) setServerClock(serverTime, askedAtMs);
      return { ok: true, data: outcome.data.sales };
    },
    (sales) => Math.min(LIST_MS, ...sales.map(untilItTurns)),
  );

/** A sale with what is left of its items. */
export const oneSale = (saleId: string): Loaded<Sale> =>
  loaded(
    async () => {
      const askedAtMs = performance.now();
      const outcome = await ask(api.GET('/api/sales/{saleId}', { params: { path: { saleId } } }));
      if (outcome.ok) setServerClock(outcome.data.serverTime, askedAtMs);
      return outcome;
    },
    (sale) => Math.min(phaseOf(sale, serverNowMs()) === 'live' ? LIVE_MS : QUIET_MS, untilItTurns(sale)),
  );

/** Milliseconds until a sale opens or ends, and a little more, spread, so that a crowd does not ask as one. */
function untilItTurns({ startsAt, endsAt }: Sale): number {
  const ahead = [startsAt, endsAt].map((time) => Date.parse(time) - serverNowMs()).filter((ms) => ms > 0);
  return Math.min(Infinity, ...ahead) + 200 + Math.random() * 800;
}

function loaded<T>(load: () => Promise<Outcome<T>>, againAfterMs: (data: T) => number): Loaded<T> {
  const data = signal<T | null>(null);
  const problem = signal<Problem | null>(null);
  const keep = async (until: AbortSignal): Promise<void> => {
    for (let failures = 0; !until.aborted; ) {
      const outcome = await load();
      if (until.aborted) return;
      problem.value = outcome.ok ? null : outcome.problem;
      if (outcome.ok) data.value = outcome.data;
      else if (GONE.has(outcome.problem.code)) return;
      failures = outcome.ok ? 0 : failures + 1;
      await pause(outcome.ok ? againAfterMs(outcome.data) : (outcome.problem.retryAfterMs ?? backoffMs(failures)), until);
      await untilSeen(until);
    }
  };
  return { data, problem, keep };
}

/** A page that nobody looks at asks for nothing. */
async function untilSeen(signal: AbortSignal): Promise<void> {
  while (document.visibilityState === 'hidden' && !signal.aborted) await pause(60_000, signal);
}
