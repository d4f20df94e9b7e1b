import { setTimeout as delay } from 'node:timers/promises';
import { sessionKey } from '../../src/auth/sessions.js';
import type { Lab } from '../lab.js';
import type { BenchSale } from '../operator.js';
import { joinAll, joinOnce, joinRound, looks, proveJoins, proveSoldOut, refusals, soldOutSale } from './routes.js';

const REQUESTS = 500;
const PLAN = { connections: 50, amount: REQUESTS };

/** Redis commands of the API process while so many requests were answered, by their names. */
interface Commands {
  /** About the shoppers' sessions or the sale's keys. */
  requests: Record<string, number>;
  bull: Record<string, number>;
  /** What the process does beside, request or no request. */
  others: Record<string, number>;
}

export interface CommandCount {
  perJoin: number;
  perRefusal: number;
  /** The first look of a shopper at a ticket: its process does not know the session yet. */
  perFirstLook: number;
  perLook: number;
  /** Commands to Bull's keys during all joins. */
  bull: number;
  details: Record<string, Commands>;
}

/**
 * Counts what the API process asks of Redis during joins, refusals and looks. The first join of a sale, with which a process reads once what
 * it keeps of it, is counted apart, as is the first refusal. Making the sale before, and the proof after, are not watched.
 */
export async function countCommands(lab: Lab): Promise<CommandCount> {
  await lab.needShoppers(REQUESTS + 1);
  // A process sends the script in full once, the first time.
  await joinRound(lab, lab.api, { connections: PLAN.connections, amount: PLAN.connections });
  const sale = await lab.sale({ stock: REQUESTS + 1 });
  const last = lab.tokens[REQUESTS] ?? '';
  const firstJoin = await watched(lab, sale, () => joinOnce(lab, sale, last));
  const joins = await watched(lab, sale, () => joinAll(lab, lab.api, sale, PLAN));
  await proveJoins(lab, sale, REQUESTS + 1);
  const firstLooks = await watched(lab, sale, looks(lab, sale, PLAN, lab.api));
  const laterLooks = await watched(lab, sale, looks(lab, sale, PLAN, lab.api));
  const soldOut = await soldOutSale(lab, PLAN);
  const firstRefusal = await watched(lab, soldOut, () => joinOnce(lab, soldOut, last));
  const refused = await watched(lab, soldOut, refusals(lab, soldOut, PLAN, lab.api, 410));
  await proveSoldOut(lab, soldOut);
  return {
    perJoin: each(joins), perRefusal: each(refused), perFirstLook: each(firstLooks), perLook: each(laterLooks), bull: sum(joins.bull) + sum(firstJoin.bull),
    details: { firstJoin, joins, firstLooks, laterLooks, firstRefusal, refused },
  };
}

/** MONITOR sees each command, and tells those of scripts apart. */
async function watched(lab: Lab, sale: BenchSale, work: () => Promise<unknown>): Promise<Commands> {
  const sessions = new Set(lab.tokens.slice(0, REQUESTS + 1).map(sessionKey));
  const ofSale = `seckill:{${sale.id}:0}:`;
  const seen: Commands = { requests: {}, bull: {}, others: {} };
  const monitor = await lab.redis.duplicate().monitor();
  monitor.on('monitor', (_time: string, [name = '', ...args]: string[], source: string) => {
    if (source === 'lua') return;
    const isBull = args.some((arg) => arg.startsWith('{seckill-bull}'));
    const isRequest = args.some((arg) => sessions.has(arg) || arg.startsWith(ofSale));
    add(isBull ? seen.bull : isRequest ? seen.requests : seen.others, name.toLowerCase());
  });
  await work();
  // What it saw last comes over its own connection.
  await delay(100);
  monitor.disconnect();
  return seen;
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, count) => all + count, 0);
const each = ({ requests }: Commands): number => sum(requests) / REQUESTS;
