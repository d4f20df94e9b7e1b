import { setTimeout as delay } from 'node:timers/promises';
import type { Lab } from '../lab.js';
import { joinRound } from './routes.js';

const JOINS = 500;
const CONNECTIONS = 50;

export interface CommandCount {
  /** Commands that the API process sent, per join. */
  perJoin: number;
  /** Of them, those to Bull's keys, in all. */
  bull: number;
}

/** Counts what the API process asks of Redis during joins. MONITOR sees each command, and tells those of scripts apart. */
export async function countCommands(lab: Lab): Promise<CommandCount> {
  await lab.needShoppers(JOINS);
  const seen: string[][] = [];
  const monitor = await lab.redis.duplicate().monitor();
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    // Calls of scripts, and the proof's own questions after the run, are no commands of a join.
    if (source !== 'lua' && ['get', 'evalsha', 'eval'].includes(args[0]?.toLowerCase() ?? '')) seen.push(args);
  });
  await joinRound(lab, lab.api, { connections: CONNECTIONS, amount: JOINS });
  await delay(100);
  monitor.disconnect();
  const bull = seen.filter((args) => args.some((arg) => arg.startsWith('{seckill-bull}'))).length;
  const joins = seen.filter(([, , , key = '', ...rest]) => !key.startsWith('{seckill-bull}') && !rest.some((arg) => arg.startsWith('{seckill-bull}')));
  return { perJoin: joins.length / JOINS, bull };
}
