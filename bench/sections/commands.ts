import { setTimeout as delay } from 'node:timers/promises';
import { sessionKey } from '../../src/auth/sessions.js';
import type { Lab } from '../lab.js';
import { joinRequest } from '../requests.js';
import { joinAll, joinRound, proveJoins } from './routes.js';

const JOINS = 500;
const CONNECTIONS = 50;

export interface CommandCount {
  /** Commands about the shoppers' sessions or the sale's keys, per join. */
  perJoin: number;
  /** The same by their names, in all. */
  joins: Record<string, number>;
  /** Those of the first join, with which a process reads once what it keeps of the sale. */
  first: Record<string, number>;
  /** Commands to Bull's keys, in all. */
  bull: number;
  /** The rest by their names: what the process does beside, join or no join. */
  others: Record<string, number>;
}

/**
 * Counts what the API process asks of Redis during joins. MONITOR sees each command, and tells those of scripts apart. Making the sale
 * before, and the proof after, are not watched.
 */
export async function countCommands(lab: Lab): Promise<CommandCount> {
  await lab.needShoppers(JOINS + 1);
  // A process sends the script in full once, the first time.
  await joinRound(lab, lab.api, { connections: CONNECTIONS, amount: CONNECTIONS });
  const sale = await lab.sale({ stock: JOINS + 1 });
  const sessions = new Set(lab.tokens.slice(0, JOINS + 1).map(sessionKey));
  const ofSale = `seckill:{${sale.id}:0}:`;
  const seen: Omit<CommandCount, 'perJoin' | 'bull'> & { bull: Record<string, number> } = { joins: {}, first: {}, bull: {}, others: {} };
  let isFirst = true;
  const monitor = await lab.redis.duplicate().monitor();
  monitor.on('monitor', (_time: string, [name = '', ...args]: string[], source: string) => {
    if (source === 'lua') return;
    const isBull = args.some((arg) => arg.startsWith('{seckill-bull}'));
    const isJoin = args.some((arg) => sessions.has(arg) || arg.startsWith(ofSale));
    add(isBull ? seen.bull : !isJoin ? seen.others : isFirst ? seen.first : seen.joins, name.toLowerCase());
  });
  const { path = '', ...first } = joinRequest(sale, lab.tokens[JOINS] ?? '');
  await fetch(lab.api.base + path, { method: 'POST', headers: first.headers as Record<string, string>, body: String(first.body) });
  await delay(100);
  isFirst = false;
  await joinAll(lab, lab.api, sale, { connections: CONNECTIONS, amount: JOINS });
  await delay(100);
  monitor.disconnect();
  await proveJoins(lab, sale, JOINS + 1);
  return { ...seen, perJoin: sum(seen.joins) / JOINS, bull: sum(seen.bull) };
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, count) => all + count, 0);
