import type { Expectation } from '../contestant.js';
import type { StrategyFactory } from '../strategy.js';
import { conditionalUpdate } from './conditional-update.js';
import { inProcessLock } from './in-process-lock.js';
import { basketKey, luaMulti } from './lua-multi.js';
import { luaSingle } from './lua-single.js';
import { buyersKey, counterKey } from './article-1-keys.js';
import { naive } from './naive.js';
import { redisLock } from './redis-lock.js';
import { redisPreDecrement } from './redis-pre-decrement.js';
import { redlock } from './redlock.js';
import { versionColumn } from './version-column.js';
import { watchMulti } from './watch-multi.js';

export interface Technique {
  /** For the command line and the results. */
  name: string;
  title: string;
  /** Which article it is from. */
  source: string;
  expects: Expectation;
  create: StrategyFactory;
  /** The set in Redis that is all there is of its orders; without it they are in `lab_orders`. */
  buyersKey?: (itemId: string) => string;
  /** The counter in Redis that decides; without it that is `lab_items.stock`. */
  counterKey?: (itemId: string, firstItemId: string) => string;
  processes?: number;
  itemsPerBasket?: number;
}

const ARTICLE_1_KEYS = { buyersKey, counterKey };

/** All techniques of the seed articles, in the order in which the articles come to them. */
export const TECHNIQUES: readonly Technique[] = [
  { name: 'naive', title: 'naive: read, then write', source: 'article 4', expects: 'oversells', create: naive },
  { name: 'in-process-lock', title: 'in-process lock', source: 'article 4', expects: 'right but slow', create: inProcessLock },
  { name: 'in-process-lock-2', title: 'in-process lock, 2 processes', source: 'article 4', expects: 'oversells', create: inProcessLock, processes: 2 },
  { name: 'redis-lock', title: 'Redis lock', source: 'article 4', expects: 'right but slow', create: redisLock },
  { name: 'redlock', title: 'Redlock, 5 nodes', source: 'article 4', expects: 'right but slow', create: redlock },
  { name: 'version-column', title: 'version column, no retry', source: 'article 4', expects: 'leaves stock', create: versionColumn },
  { name: 'watch-multi', title: 'WATCH/MULTI, no retry', source: 'article 1', expects: 'leaves stock', create: watchMulti, ...ARTICLE_1_KEYS },
  { name: 'conditional-update', title: 'conditional update', source: 'article 4', expects: 'right', create: conditionalUpdate },
  { name: 'redis-pre-decrement', title: 'Redis pre-decrement', source: 'article 4, end', expects: 'right', create: redisPreDecrement },
  { name: 'lua-single', title: 'Lua, one item', source: 'article 1', expects: 'right', create: luaSingle, ...ARTICLE_1_KEYS },
  { name: 'lua-multi', title: 'Lua, basket of 2 items', source: 'article 0', expects: 'right', create: luaMulti, counterKey: (itemId, first) => basketKey(first, itemId), itemsPerBasket: 2 },
];

/** @throws when there is none of that name */
export function techniqueNamed(name: string): Technique {
  const technique = TECHNIQUES.find((each) => each.name === name);
  if (!technique) throw new Error(`there is no technique ${name}; there are ${TECHNIQUES.map((each) => each.name).join(', ')}`);
  return technique;
}
