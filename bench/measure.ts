import { cpuNs } from './processes.js';
import { load, type LoadPlan, type LoadResult } from './load.js';
import { spreadOf, type Spread } from './statistics.js';

/** One run of a load against one process. CPU in microseconds per request. */
export interface Sample extends LoadResult {
  cpuUs: number;
  redisCpuUs: number;
}

/** What is kept of a contestant's rounds. */
export interface Figures {
  perSecond: Spread;
  /** CPU of the tested process per request. */
  cpuUs: Spread;
  redisCpuUs: Spread;
  p50Ms: Spread;
  p99Ms: Spread;
}

/** Runs a load and reads what it has cost the tested process and Redis. @throws Error when an answer had another status than `expected` */
export async function measured(pids: { tested: number; redis: number }, plan: LoadPlan, ...expected: number[]): Promise<Sample> {
  const before = { tested: cpuNs(pids.tested), redis: cpuNs(pids.redis) };
  const result = await load(plan);
  const cpuUs = (cpuNs(pids.tested) - before.tested) / 1000 / plan.amount;
  const redisCpuUs = (cpuNs(pids.redis) - before.redis) / 1000 / plan.amount;
  const others = Object.entries(result.statuses).filter(([status]) => !expected.includes(Number(status)));
  if (others.length > 0) throw new Error(`wanted ${expected.join(' or ')} from each request, got ${JSON.stringify(result.statuses)}`);
  return { ...result, cpuUs, redisCpuUs };
}

/** What was wanted is how often the first contestant does better or worse than the second, round by round. */
export interface Duel {
  figures: Record<string, Figures>;
  samples: Record<string, Sample[]>;
}

/**
 * Lets contestants run in turns, so that what disturbs the machine for a while disturbs all of them; every other round goes backwards.
 * The first round warms them up and is not counted.
 */
export async function inRounds(rounds: number, contestants: Record<string, () => Promise<Sample>>): Promise<Duel> {
  const samples: Record<string, Sample[]> = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    const order = Object.entries(contestants);
    if (round % 2 === 1) order.reverse();
    for (const [name, run] of order) {
      const sample = await run();
      if (round > 0) samples[name]?.push(sample);
    }
  }
  const figures = Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, figuresOf(all)]));
  return { figures, samples };
}

function figuresOf(samples: Sample[]): Figures {
  const of = (read: (sample: Sample) => number): Spread => spreadOf(samples.map(read));
  return { perSecond: of((s) => s.perSecond), cpuUs: of((s) => s.cpuUs), redisCpuUs: of((s) => s.redisCpuUs), p50Ms: of((s) => s.p50Ms), p99Ms: of((s) => s.p99Ms) };
}

/** The ratio of two contestants in each round: what the rounds have in common falls out of it. */
export function ratioOf({ samples }: Duel, above: string, below: string, read: (sample: Sample) => number): Spread {
  const under = samples[below] ?? [];
  return spreadOf((samples[above] ?? []).flatMap((sample, round) => (under[round] ? [read(sample) / read(under[round])] : [])));
}
