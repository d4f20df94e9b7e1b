import { FIRST_USER, fillLine } from '../floors/script.js';
import type { Lab } from '../lab.js';
import { inRounds, measured, ratioOf, type Sample } from '../measure.js';
import { joinRequest, shared } from '../requests.js';
import { spreadOf, type Spread } from '../statistics.js';
import { pidsOf } from './routes.js';

const CONNECTIONS = 100;

export interface GrowthResult {
  /** CPU per join of API and Redis together, in the long line against the short one. */
  cpu: Spread;
  bytesPerShopper: number;
  /** The longest that one command held Redis up while an item of so many units was loaded. */
  longestCommandMs: number;
}

/** Joins into a sale with a long line beside one with a short line; what a place in line takes; how a large item is loaded. */
export async function growth(lab: Lab, { rounds, amount, long, short, units }: { rounds: number; amount: number; long: number; short: number; units: number }): Promise<GrowthResult> {
  const longestCommandMs = await longestWhile(lab, async () => void (await lab.sale({ stock: units })));
  await lab.needShoppers(amount * (rounds + 1));
  const stock = long + amount * (rounds + 1);
  const [far, near] = [await lab.sale({ stock }), await lab.sale({ stock })];
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
  return { cpu: ratioOf(duel, 'far', 'near', (s) => s.cpuUs + s.redisCpuUs), bytesPerShopper, longestCommandMs };
}

async function usedMemory(lab: Lab): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await lab.redis.info('memory'))?.[1]);
}

async function longestWhile(lab: Lab, work: () => Promise<void>): Promise<number> {
  await lab.redis.config('SET', 'slowlog-log-slower-than', '1000');
  await lab.redis.slowlog('RESET');
  await work();
  const entries = (await lab.redis.slowlog('GET', 128)) as [id: number, at: number, us: number, ...rest: unknown[]][];
  return spreadOf([0, ...entries.map(([, , us]) => us / 1000)]).max;
}
