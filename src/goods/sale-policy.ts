import type { Sale } from './entities/sale.entity.js';
import type { SaleItem } from './entities/sale-item.entity.js';
import type { ShardPolicy } from './sale.scripts.js';

const STATE_OF_STAGE = { published: 'open', paused: 'paused', ended: 'ended', draft: 'ended' } as const;

/** What the shards of a sale must know of the operator's decisions. */
export function shardPolicy(sale: Sale, retentionSeconds: number): ShardPolicy {
  return {
    state: STATE_OF_STAGE[sale.stage],
    startsAtMs: sale.startsAt.getTime(),
    endsAtMs: sale.endsAt.getTime(),
    mode: sale.mode,
    expireAtMs: sale.endsAt.getTime() + retentionSeconds * 1000,
    shards: sale.shards,
    standbyLimit: sale.standbyLimit,
    ...(sale.rehearsalId === null ? {} : { rehearsalId: sale.rehearsalId }),
    claims: sale.claimsStopped ? 'stopped' : 'go_on',
    items: sale.items.map((item) => ({ itemId: item.id, limitPerUser: item.limitPerUser, json: JSON.stringify(describe(item)) })),
  };
}

function describe(item: SaleItem): Record<string, unknown> {
  const { goods } = item;
  return {
    id: item.id,
    goodsId: item.goodsId,
    title: goods.title,
    imageUrl: goods.imageUrl,
    listPriceMinor: goods.listPriceMinor,
    priceMinor: item.priceMinor,
    currency: item.currency,
    limitPerUser: item.limitPerUser,
  };
}
