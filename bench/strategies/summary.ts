import type { Contestant } from './contestant.js';
import type { Round } from './lab.js';

/** All rounds of one contestant in one row. */
export interface Row {
  name: string;
  title: string;
  source: string;
  ordersIn: 'MySQL' | 'Redis';
  rounds: number;
  /** Of the counts, the median and the worst round; for what must never happen, the worst says more. */
  sold: number;
  oversold: number;
  mostOversold: number;
  left: number;
  mostLeft: number;
  duplicates: number;
  mostDuplicates: number;
  /** Requests that were told to come again, or not answered while the crowd's time lasted. */
  sentAway: number;
  requestsPerSecond: number;
  /** Median, over the rounds, of the ratio to the baseline in the same round; null without a baseline. */
  ratio: number | null;
  p99Ms: number;
  doneMs: number;
  /** Over all rounds together, since the kernel counts in steps that are long for one. */
  cpuUsPerRequest: number;
  storeCpuUsPerRequest: number;
}

/** The lock over processes that article 4 begins with, "about 100" there. */
export const BASELINE = 'redis-lock';

export function summarise(contestants: readonly Contestant[], rounds: readonly Round[]): Row[] {
  const baseline = rounds.filter(({ name }) => name === BASELINE);
  return contestants.map((contestant) => rowOf(contestant, rounds.filter(({ name }) => name === contestant.name), baseline));
}

function rowOf({ name, title, source, ordersIn }: Contestant, rounds: readonly Round[], baseline: readonly Round[]): Row {
  const middle = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const most = (pick: (round: Round) => number): number => Math.max(0, ...rounds.map(pick));
  const total = (pick: (round: Round) => number): number => rounds.reduce((sum, round) => sum + pick(round), 0);
  const perRequest = (ms: number): number => (ms * 1000) / total((round) => round.answered);
  const ratios = rounds.map((round, index) => round.requestsPerSecond / (baseline[index]?.requestsPerSecond ?? NaN));
  return {
    name, title, source, ordersIn, rounds: rounds.length,
    sold: middle((round) => round.sold),
    oversold: middle((round) => round.oversold), mostOversold: most((round) => round.oversold),
    left: middle((round) => round.left), mostLeft: most((round) => round.left),
    duplicates: middle((round) => round.duplicates), mostDuplicates: most((round) => round.duplicates),
    sentAway: middle((round) => round.busy + round.unanswered),
    requestsPerSecond: middle((round) => round.requestsPerSecond),
    ratio: baseline.length === 0 ? null : median(ratios),
    p99Ms: middle((round) => round.p99Ms), doneMs: middle((round) => round.doneMs),
    cpuUsPerRequest: perRequest(total((round) => round.cpuMs)), storeCpuUsPerRequest: perRequest(total((round) => round.storeCpuMs)),
  };
}

/** @param values in any order; NaN for none */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[half - 1] ?? NaN, sorted[half] ?? NaN];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}
