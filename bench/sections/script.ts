import { FOUR_COMMANDS_LUA, fillLine } from '../floors/script.js';
import type { Lab } from '../lab.js';
import { cpuNs } from '../processes.js';
import { spreadOf, type Spread } from '../statistics.js';

/** CPU of Redis per call in microseconds: the join script, and one of four plain commands on the same keys. */
export interface ScriptResult {
  joinUs: Spread;
  fourUs: Spread;
  ratio: Spread;
}

/** What the join script costs Redis, in turns with the four commands. */
export async function compareScripts(lab: Lab, rounds: number, calls: number): Promise<ScriptResult> {
  const cost = async (lua?: string): Promise<number> => {
    const sale = await lab.sale({ stock: calls });
    const before = cpuNs(lab.redisPid);
    await fillLine(lab, sale, calls, lua === undefined ? {} : { lua });
    return (cpuNs(lab.redisPid) - before) / 1000 / calls;
  };
  const pairs: [join: number, four: number][] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const pair: [number, number] = [await cost(), await cost(FOUR_COMMANDS_LUA)];
    if (round > 0) pairs.push(pair);
  }
  return { joinUs: spreadOf(pairs.map(([join]) => join)), fourUs: spreadOf(pairs.map(([, four]) => four)), ratio: spreadOf(pairs.map(([join, four]) => join / four)) };
}
