import { setTimeout as delay } from 'node:timers/promises';
import { FIRST_USER, fillLine } from '../floors/script.js';
import type { Lab } from '../lab.js';
import { inRounds, measured, ratioOf, type Sample } from '../measure.js';
import { joinRequest, shared } from '../requests.js';
import type { Spread } from '../statistics.js';
import { pidsOf } from './routes.js';

const CONNECTIONS = 100;

export interface GrowthResult {
  /** CPU per join of API and Redis together, in the long line against the short one. */
  cpu: Spread;
  bytesPerShopper: number;
  /** The longest that Redis, by its own latency monitor, was held up at a time while an item of so many units was loaded. */
  longestStallMs: number;
  /** The longest that a PING of another connection waited meanwhile; where cores are few that is waiting for a core, too. */
  longestPingMs: number;
}

/** Joins into a sale with a long line beside one with a short line; what a place in line takes; how a large item is loaded. */
export async function growth(lab: Lab, { rounds, amount, long, short, units }: { rounds: number; amount: number; long: number; short: number; units: number }): Promise<GrowthResult> {
  const stalls = await stallsWhile(lab, () => lab.sale({ stock: units }));
  await lab.needShoppers(amount * (rounds + 1));
  // Nobody drains them, so that no unit is taken, however long the line.
  const [far, near] = [await lab.sale({ stock: units }), await lab.sale({ stock: units })];
  const before = await usedMemory(lab);
  await fillLine(lab, far, long, { firstUser: FIRST_USER });
  const bytesPerShopper = ((await usedMemory(lab)) - before) / long;
  await fillLine(lab, near, short, { firstUser: FIRST_USER });
  let used = { far: 0, near: 0 };
  const run = (name: 'far' | 'near', sale = name === 'far' ? far : near) => (): Promise<Sample> => {
    const tokens = lab.tokens.slice(used[name] * amount, (used[name] + 1) * amount);
    used = { ...used, [name]: used[name] + 1 };
    return measured(pidsOf(lab, lab.api), { base: lab.api.base, connections: CONNECTIONS, amount, requestsOf: shared(tokens, CONNECTIONS, (token) => joinRequest(sale, token)) }, 202);
  };
  const duel = await inRounds(rounds, { far: run('far'), near: run('near') });
  return { cpu: ratioOf(duel, 'far', 'near', (s) => s.cpuUs + s.redisCpuUs), bytesPerShopper, ...stalls };
}

async function usedMemory(lab: Lab): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await lab.redis.info('memory'))?.[1]);
}

/** The latency monitor notes commands, scripts and writes to the append-only file that took a millisecond or more. */
async function stallsWhile(lab: Lab, work: () => Promise<unknown>): Promise<Pick<GrowthResult, 'longestStallMs' | 'longestPingMs'>> {
  await lab.redis.config('SET', 'latency-monitor-threshold', '1');
  await lab.redis.latency('RESET');
  const pinger = lab.redis.duplicate();
  let [isDone, longestPingMs] = [false, 0];
  const pinging = (async (): Promise<void> => {
    while (!isDone) {
      const sentMs = performance.now();
      await pinger.ping();
      longestPingMs = Math.max(longestPingMs, performance.now() - sentMs);
      await delay(1);
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await pinging;
    pinger.disconnect();
  }
  const events = (await lab.redis.latency('LATEST')) as [event: string, at: number, latestMs: number, longestMs: number][];
  await lab.redis.config('SET', 'latency-monitor-threshold', '0');
  return { longestStallMs: Math.max(0, ...events.map(([, , , longestMs]) => longestMs)), longestPingMs };
}
