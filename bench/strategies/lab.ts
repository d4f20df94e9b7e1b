import type { Contestant, Expectation } from './contestant.js';
import { cpuMsOf } from './cpu.js';
import { runCrowd } from './crowd.js';

/**
 * How long the crowd may take. Where it is known that a technique is slow, or what is wrong with it has shown by then, it is sent home soon;
 * for the others the limit only guards against a technique that hangs.
 */
const [SOON_MS, AT_LAST_MS] = [5000, 20_000];
const SENT_HOME_SOON: readonly Expectation[] = ['right but slow', 'oversells'];

/** One round of one contestant. */
export interface Round {
  name: string;
  answered: number;
  unanswered: number;
  busy: number;
  failed: number;
  sold: number;
  oversold: number;
  left: number;
  duplicates: number;
  odd: string[];
  requestsPerSecond: number;
  p99Ms: number;
  /** From the first request until all were answered and all orders written. */
  doneMs: number;
  /** CPU time of the contestant's Node processes. */
  cpuMs: number;
  /** The same of the database and of all Redis servers. */
  storeCpuMs: number;
}

export interface Plan {
  stock: number;
  /** Per connection, the numbers of its shoppers. */
  clicks: number[][];
  /** A smaller crowd of the same shoppers, for the round that is not counted. */
  warmUpClicks: number[][];
  tokens: string[];
  rounds: number;
  /** Nobody's turn is begun after this. */
  untilMs: number;
  storePids: number[];
}

/**
 * Lets all contestants take part in each round, one after the other, each round in another order, so that what the machine does besides
 * hits all alike. A first round, for the compilers to warm up, is not counted, and neither is one for which the time was too short.
 */
export async function runRounds(contestants: readonly Contestant[], plan: Plan, say: (line: string) => void): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let number = 0; number <= plan.rounds; number += 1) {
    for (const contestant of rotated(contestants, number)) {
      if (Date.now() > plan.untilMs) return rounds.slice(0, Math.max(0, number - 1) * contestants.length);
      const round = await runRound(contestant, number === 0 ? { ...plan, clicks: plan.warmUpClicks } : plan);
      if (number > 0) rounds.push(round);
      say(`${number === 0 ? 'warm-up' : `round ${number}/${plan.rounds}`}  ${lineOf(contestant, round)}`);
    }
  }
  return rounds;
}

const rotated = <T>(all: readonly T[], by: number): T[] => all.map((_, index) => all[(index + by) % all.length] as T);

async function runRound(contestant: Contestant, plan: Plan): Promise<Round> {
  const sale = await contestant.openSale(plan.stock);
  const [cpuBefore, storeCpuBefore] = [cpuMsOf(contestant.pids), cpuMsOf(plan.storePids)];
  const crowd = await runCrowd(sale.url, sale.body, plan.clicks, plan.tokens, SENT_HOME_SOON.includes(contestant.expects) ? SOON_MS : AT_LAST_MS);
  const soldAt = await sale.settle();
  const [cpuMs, storeCpuMs] = [cpuMsOf(contestant.pids) - cpuBefore, cpuMsOf(plan.storePids) - storeCpuBefore];
  const { sold, duplicates, odd, counter } = await sale.books();
  const disagreement = contestant.expects !== 'oversells' && sold + counter !== plan.stock ? [`${sold} sold, but the counter says ${counter} left`] : [];
  return {
    name: contestant.name,
    answered: crowd.answered, unanswered: crowd.unanswered, busy: crowd.busy, failed: crowd.failed,
    sold, duplicates, oversold: Math.max(0, sold - plan.stock), left: Math.max(0, plan.stock - sold), odd: [...odd, ...disagreement],
    requestsPerSecond: crowd.answered / ((crowd.endedAt - crowd.startedAt) / 1000), p99Ms: crowd.p99Ms,
    doneMs: Math.max(soldAt, crowd.endedAt) - crowd.startedAt, cpuMs, storeCpuMs,
  };
}

function lineOf({ title }: Contestant, { sold, oversold, left, duplicates, requestsPerSecond, unanswered, busy, failed, odd }: Round): string {
  const faults = [oversold && `${oversold} oversold`, left && `${left} left`, duplicates && `${duplicates} twice`, busy && `${busy} busy`, unanswered && `${unanswered} unanswered`, failed && `${failed} failed`, ...odd];
  return [title.padEnd(30), `${sold} sold`, `${Math.round(requestsPerSecond)} requests/s`, ...faults.filter(Boolean)].join('  ');
}
