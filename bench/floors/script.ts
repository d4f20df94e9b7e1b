import { Redis } from 'ioredis';
import { v7 as uuidv7 } from 'uuid';
import type { Lab } from '../lab.js';
import type { BenchSale } from '../operator.js';
import { JOIN_LUA, joinArgs, joinKeys, runIdIn } from './join-call.js';

/** Nobody has these ids; no foreign key asks for them. */
export const FIRST_USER = 1_000_000_000;
const IN_FLIGHT = 1000;

/** The least that a join writes and reads, with the same KEYS and ARGV: four plain commands. */
export const FOUR_COMMANDS_LUA = `
redis.call('HMGET', KEYS[1], 'epoch', 'state', 'startsAtMs', 'endsAtMs')
redis.call('HINCRBY', KEYS[3], ARGV[2], 1)
redis.call('LPUSH', KEYS[5], '1 ' .. ARGV[2])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[1])
return { 'QUEUED' }
`;

/** Floor (b): joins by the script alone, many on their way at once. Answers joins per second. */
export async function fillLine(lab: Lab, sale: BenchSale, joins: number, { firstUser = FIRST_USER, lua = JOIN_LUA } = {}): Promise<number> {
  const redis = new Redis(lab.redisUrl, { enableAutoPipelining: true });
  try {
    redis.defineCommand('join', { lua });
    const join = Reflect.get(redis, 'join') as (keys: number, ...args: (string | number)[]) => Promise<[string]>;
    const target = { saleId: sale.id, itemId: sale.itemId, runId: runIdIn(await redis.info('server')) };
    const keys = joinKeys(target);
    const startedMs = performance.now();
    for (let from = 0; from < joins; from += IN_FLIGHT) {
      const users = Array.from({ length: Math.min(IN_FLIGHT, joins - from) }, (_, index) => String(firstUser + from + index));
      const answers = await Promise.all(users.map((user) => join.call(redis, keys.length, ...keys, ...joinArgs(target, uuidv7(), user))));
      if (answers.some(([outcome]) => outcome !== 'QUEUED')) throw new Error('a join was refused');
    }
    return joins / ((performance.now() - startedMs) / 1000);
  } finally {
    redis.disconnect();
  }
}
