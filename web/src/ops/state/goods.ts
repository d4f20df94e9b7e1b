import type { Outcome, Schemas } from '../../shared/api';
import { api, ask } from '../console';

type Goods = Schemas['GoodsDto'];

/** As many as a list to choose from still helps with; the newest come first. */
const MAX_PAGES = 10;

/** Walks through the pages of goods until one says to stop. */
async function walk(isEnough: (soFar: Goods[]) => boolean, maxPages: number): Promise<Outcome<Goods[]>> {
  const goods: Goods[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const outcome = await ask(api.GET('/api/admin/goods', { params: { query: cursor ? { cursor } : {} } }));
    if (!outcome.ok) return outcome;
    goods.push(...outcome.data.goods);
    cursor = outcome.data.nextCursor;
    if (!cursor || isEnough(goods)) break;
  }
  return { ok: true, data: goods };
}

/** The goods that a sale may offer. */
export const goodsToChoose = (): Promise<Outcome<Goods[]>> => walk(() => false, MAX_PAGES);

/** One of them; the API has no call for it, so it is looked for in the list. */
export async function goodsById(id: string): Promise<Outcome<Goods>> {
  const isIt = (goods: Goods) => goods.id === id;
  const outcome = await walk((soFar) => soFar.some(isIt), Infinity);
  if (!outcome.ok) return outcome;
  const found = outcome.data.find(isIt);
  return found ? { ok: true, data: found } : { ok: false, problem: { status: 404, code: 'GOODS_NOT_FOUND', detail: 'There are no such goods', errors: [], extra: {} } };
}
