import type { Lab } from './lab.js';
import { ratioOf, type Duel } from './measure.js';
import type { Cost } from './report/report.js';
import { countCommands } from './sections/commands.js';
import { crowd, type CrowdResult } from './sections/crowd.js';
import { compareDrains } from './sections/drain.js';
import { growth } from './sections/growth.js';
import { compareJoins, compareLatencies, comparePolls, compareRefusals, type RoutesPlan } from './sections/routes.js';
import { compareScripts } from './sections/script.js';
import { spreadOf } from './statistics.js';
import { atLeast, atMost, type Verdict } from './targets.js';

/** A part of the benchmark: what it measured, and what of it was promised. */
export interface Part {
  verdicts: Verdict[];
  costs?: Cost[];
  /** What is promised no bound, and is to be reported. */
  notes?: string[];
  details: unknown;
}

export interface Size {
  routes: RoutesPlan;
  drain: { rounds: number; orders: number; single: number };
  script: { rounds: number; calls: number };
  lag: { rounds: number; shoppers: number };
  crowd: { shoppers: number; stock: number };
  latencies: number[];
  growth: { rounds: number; amount: number; long: number; short: number; units: number };
}

export const SELECTION: Size = {
  routes: { rounds: 5, connections: 100, amount: 6000 },
  drain: { rounds: 5, orders: 8000, single: 200 },
  script: { rounds: 5, calls: 20_000 },
  lag: { rounds: 3, shoppers: 20_000 },
  crowd: { shoppers: 20_000, stock: 2000 },
  latencies: [100],
  growth: { rounds: 3, amount: 2000, long: 50_000, short: 1000, units: 100_000 },
};

export const FULL: Size = {
  routes: { rounds: 7, connections: 100, amount: 20_000 },
  drain: { rounds: 7, orders: 20_000, single: 2000 },
  script: { rounds: 7, calls: 50_000 },
  lag: { rounds: 5, shoppers: 100_000 },
  crowd: { shoppers: 100_000, stock: 10_000 },
  latencies: [50, 100, 200],
  growth: { rounds: 5, amount: 5000, long: 1_000_000, short: 1000, units: 1_000_000 },
};

/** The parts by name, in the order in which they run. */
export function partsOf(size: Size): Record<string, (lab: Lab) => Promise<Part>> {
  return {
    join: async (lab) => routePart('join', 'a join', await compareJoins(lab, size.routes), { cpu: 1.15, perSecond: 0.87 }),
    refusal: async (lab) => routePart('refusal', 'a refusal (sold out)', await compareRefusals(lab, size.routes), { perSecond: 0.85 }),
    poll: async (lab) => routePart('poll', 'a look at the ticket', await comparePolls(lab, size.routes), { perSecond: 0.87 }),
    commands: commandsPart,
    script: (lab) => scriptPart(lab, size),
    drain: (lab) => drainPart(lab, size),
    lag: (lab) => lagPart(lab, size),
    crowd: (lab) => crowdPart(lab, size),
    latency: (lab) => latencyPart(lab, size),
    growth: (lab) => growthPart(lab, size),
  };
}

interface RouteLimits {
  cpu?: number;
  perSecond: number;
}

function routePart(id: string, what: string, duel: Duel, limits: RouteLimits): Part {
  const ratio = (read: Parameters<typeof ratioOf>[3]): ReturnType<typeof ratioOf> => ratioOf(duel, 'service', 'floor', read);
  const verdicts = [
    ...(limits.cpu === undefined ? [] : [atMost(`${id}.cpu`, `CPU of ${what}, against its floor`, ratio((s) => s.cpuUs), limits.cpu)]),
    atLeast(`${id}.throughput`, `Throughput of ${what}, against its floor`, ratio((s) => s.perSecond), limits.perSecond),
    // On few cores the load generator may be the slower one; what a core of the API could do says more.
    atLeast(`${id}.perCore`, `The same for each second of the API's CPU`, ratio((s) => 1 / s.cpuUs), limits.perSecond),
  ];
  return { verdicts, costs: costsOf(what, duel), details: duel.figures };
}

/** Of the service, with its floor beside it. */
function costsOf(work: string, { figures }: Duel): Cost[] {
  return Object.entries(figures).flatMap(([contestant, { cpuUs, redisCpuUs }]) => {
    const whose = contestant === 'service' ? { process: 'API', redis: 'Redis' } : { process: 'bare route', redis: 'Redis, called by the bare route' };
    return [{ work, process: whose.process, cpuUs }, { work, process: whose.redis, cpuUs: redisCpuUs }];
  });
}

async function commandsPart(lab: Lab): Promise<Part> {
  const { perJoin, perRefusal, perFirstLook, perLook, bull, details } = await countCommands(lab);
  const verdicts = [
    atMost('join.commands', 'Redis commands a join', perJoin, 2),
    atMost('refusal.commands', 'Redis commands a refusal (sold out)', perRefusal, 0),
    atMost('join.bull', "Bull's calls during 501 joins (one wake-up is due)", bull, 2),
  ];
  const notes = [`A shopper's first look at the ticket took ${perFirstLook.toFixed(2)} Redis commands, a later one ${perLook.toFixed(2)}; of ${Object.keys(details).join(', ')} the JSON has them by name.`];
  return { verdicts, notes, details };
}

async function scriptPart(lab: Lab, { script: { rounds, calls } }: Size): Promise<Part> {
  const result = await compareScripts(lab, rounds, calls);
  return { verdicts: [atMost('script.cpu', "Redis' CPU of the join script, against four plain commands", result.ratio, 1.5)], details: result };
}

async function drainPart(lab: Lab, { drain }: Size): Promise<Part> {
  const result = await compareDrains(lab, drain);
  const verdicts = [
    atLeast('drain.rows', 'Orders a second by the drain, against bare rows in the same batches', result.toRows, 0.6),
    atLeast('drain.single', 'Orders a second by the drain, against one transaction an order', result.toOneByOne, 20),
  ];
  const work = 'an order drained';
  const costs = [
    { work, process: 'worker', cpuUs: result.workerCpuUs },
    { work, process: 'Redis', cpuUs: result.redisCpuUs },
    { work, process: 'MariaDB', cpuUs: result.mysqlCpuUs },
    { work: 'the same rows, bare', process: 'MariaDB', cpuUs: result.rowsMysqlCpuUs },
  ];
  return { verdicts, costs, details: result };
}

async function lagPart(lab: Lab, { lag: { rounds, shoppers } }: Size): Promise<Part> {
  const runs: CrowdResult[] = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await crowd(lab, shoppers, shoppers));
  const lag = spreadOf(runs.map((run) => run.worstLagMs / 1000));
  return { verdicts: [atMost('lag', 'Seconds that the newest order is behind the newest join, with stock for everyone', lag, 2)], details: runs };
}

async function crowdPart(lab: Lab, { crowd: { shoppers, stock } }: Size): Promise<Part> {
  const result = await crowd(lab, shoppers, stock);
  const ratio = result.decidedSeconds / result.joinSeconds;
  const notes = [`Of ${shoppers} shoppers ${result.orders} got an order; from the join until the ticket could be paid: p50 ${result.p50Ms.toFixed(0)} ms, p99 ${result.p99Ms.toFixed(0)} ms, on this machine.`];
  return { notes, verdicts: [atMost('crowd', `Time until ${shoppers} shoppers for ${stock} units are decided, against that of their joins`, ratio, 1.2)], details: result };
}

async function latencyPart(lab: Lab, { latencies, routes }: Size): Promise<Part> {
  const verdicts: Verdict[] = [];
  const details: Record<string, unknown> = {};
  for (const connections of latencies) {
    const duel = await compareLatencies(lab, { ...routes, connections });
    details[connections] = duel.figures;
    for (const name of ['join', 'refusal']) {
      verdicts.push(atMost(`${name}.p99.${connections}`, `p99 of a ${name} at ${connections} connections, against a bare join`, ratioOf(duel, name, 'floor', (s) => s.p99Ms), 1.5));
    }
  }
  return { verdicts, details };
}

async function growthPart(lab: Lab, { growth: plan }: Size): Promise<Part> {
  const result = await growth(lab, plan);
  const verdicts = [
    atMost('growth.cpu', `CPU of a join with ${plan.long} tickets in the sale, against ${plan.short}`, result.cpu, 1.1),
    atMost('growth.memory', 'Bytes of Redis for each waiting shopper', result.bytesPerShopper, 300),
    atMost('growth.load', `Milliseconds that Redis was held up at a time while ${plan.units} units were loaded`, result.longestStallMs, 50),
  ];
  return { verdicts, details: result };
}
