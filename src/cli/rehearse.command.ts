import { RehearsalRunner, type RehearsalEnd } from '../rehearsal/index.js';
import { print, withApplication } from './context.js';
import { CrowdProgress } from './crowd-progress.js';
import { runningService } from './running-service.js';

export interface RehearseOptions {
  shoppers: number;
  stock: number;
  json?: boolean;
}

/** `rehearse`: a rehearsal on the running service, with the crowd in this process; exit code 1 when it failed. Ctrl-C ends it early, and it is cleaned up as always. */
export async function rehearse({ shoppers, stock, json = false }: RehearseOptions): Promise<void> {
  await withApplication(async (app, settings) => {
    await runningService(settings);
    const { progress, ended, stop } = await app.get(RehearsalRunner).start({ shoppers, stock });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(`it was stopped by ${signal}`));
    const shown = new CrowdProgress(shoppers, () => ({
      // Half of the way is to join.
      done: (progress.joined + progress.decided) / 2,
      words: `${progress.phase}: ${progress.joined} of ${shoppers} joined, ${progress.decided} decided, ${progress.paid} paid`,
    }));
    const end = await ended;
    shown.stop();
    print(json ? end : inWords(end));
    if (end.state === 'failed') process.exitCode = 1;
  });
}

function inWords(end: RehearsalEnd): string {
  const { report } = end;
  const lines = [`Rehearsal ${end.state}${end.state === 'failed' ? `: ${end.reason}` : ''}`];
  if (!report) return lines.join('\n');
  const { proofOk, oddTokens, seconds, joins, joinsPerSecond, ordersPerSecond, joinMs, decidedMs, sold, soldOut, paid, cancelled } = report;
  return [
    ...lines,
    `  proof            ${proofOk ? 'ok: every token is in one place' : `not ok, ${oddTokens} odd tokens`}`,
    `  took             ${seconds.toFixed(1)} s, with the proof`,
    `  joins            ${joins}, ${joinsPerSecond.toFixed(0)} a second`,
    `  orders           ${sold}, ${ordersPerSecond.toFixed(0)} a second; ${soldOut} shoppers were told it is sold out`,
    `  join answered    p50 ${joinMs.p50.toFixed(0)} ms, p99 ${joinMs.p99.toFixed(0)} ms`,
    `  ticket decided   p50 ${decidedMs.p50.toFixed(0)} ms, p99 ${decidedMs.p99.toFixed(0)} ms after the join`,
    `  paid, cancelled  ${paid}, ${cancelled}`,
  ].join('\n');
}
