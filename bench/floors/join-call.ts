import { readFileSync } from 'node:fs';
import { saleKeys, STOCK_CHANNEL } from '../../src/goods/sale-keys.js';

/** What the join script of a sale with one item and one shard is given, by whoever calls it beside the service. */
export interface JoinTarget {
  saleId: string;
  itemId: string;
  runId: string;
}

/** From the project's folder, where the benchmark runs, also as it is built. */
const SCRIPTS = 'src/seckill/scripts';

/** The service's own join script, from its source. */
export const JOIN_LUA = readFileSync(`${SCRIPTS}/join.lua`, 'utf8').replace(/^--- @include "([a-z-]+)"$/gm, (_line, name: string) =>
  readFileSync(`${SCRIPTS}/includes/${name}.lua`, 'utf8'),
);

/** KEYS of a join for one unit of the sale's item. */
export function joinKeys({ saleId, itemId }: JoinTarget): string[] {
  const shard = { saleId, shard: 0 };
  const { sale, status, count, units, queue, claimed } = saleKeys;
  return [...[sale, status, count, units, queue, claimed].map((key) => key(shard)), saleKeys.stock(shard, itemId)];
}

/** ARGV of the same. */
export function joinArgs({ saleId, itemId, runId }: JoinTarget, ticketId: string, userId: string): (string | number)[] {
  return [ticketId, userId, STOCK_CHANNEL, `${saleId}:0`, runId, '', itemId, 1];
}

export function runIdIn(info: string): string {
  return /^run_id:(\w+)/m.exec(info)?.[1] ?? '';
}
