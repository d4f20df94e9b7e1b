import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Settings } from '../../config/index.js';
import { Preloader, SaleScripts, shardsOf, type Sale } from '../../goods/index.js';
import { RedisClock } from '../../infra/clock/index.js';
import { SaleUnits, type ItemUnits } from '../../order/index.js';
import { StockScripts } from '../../seckill/index.js';
import type { Finding } from '../finding.js';

/** Units are on the move while a sale runs; what stands still and does not fit is wrong. */
const LOOKS = 3;
const PAUSE_MS = 250;

/** Whether the stock lists hold as many tokens of each item as there are units that are neither sold nor on their way back. */
@Injectable()
export class Tokens {
  constructor(
    private readonly scripts: SaleScripts,
    private readonly stock: StockScripts,
    private readonly units: SaleUnits,
    private readonly preloader: Preloader,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
  ) {}

  async look(sale: Sale): Promise<Finding> {
    if (sale.stage === 'draft') return { status: 'failed', message: 'The sale is a draft: publish it.', figures: {} };
    const epochs = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.scripts.epochOf(shard)));
    const shardsLoaded = epochs.filter((epoch) => epoch === sale.epoch).length;
    if (shardsLoaded < sale.shards) return this.notLoaded(sale, shardsLoaded);
    let before: ItemUnits[] = [];
    let now = await this.units.of(sale);
    for (let look = 1; look < LOOKS && !now.every(fits); look += 1) {
      await delay(PAUSE_MS);
      [before, now] = [now, await this.units.of(sale)];
    }
    if (now.every(fits)) return { status: 'ok', message: 'All units that may be sold are in the stock lists.', figures: totals(now) };
    return this.odd(sale, now, JSON.stringify(before) !== JSON.stringify(now));
  }

  private notLoaded(sale: Sale, shardsLoaded: number): Finding {
    const figures = { shards: sale.shards, shardsLoaded };
    if (this.preloader.isDue(sale)) return { status: 'failed', message: 'The sale is not loaded. The scheduler does it every two seconds, if one runs; preload does it at once.', figures };
    if (sale.startsAt.getTime() <= this.clock.nowMs()) return { status: 'failed', message: 'The sale is over, and so is its retention.', figures };
    return { status: 'warning', message: `The sale is not loaded yet. That is done from ${this.settings.PRELOAD_LEAD_SECONDS} s before its start on; preload does it now.`, figures };
  }

  private async odd(sale: Sale, units: ItemUnits[], isMoving: boolean): Promise<Finding> {
    const underWay = await this.underWay(sale);
    const unfit = units.filter((item) => !fits(item));
    const odd = unfit.map((item): [string, string] => [`item ${item.itemId}`, `${item.listed} in the lists, ${expected(item)} expected`]);
    const figures = { ...totals(units), underWay: [...underWay.values()].reduce((sum, one) => sum + one, 0), ...Object.fromEntries(odd) };
    const isExplained = unfit.every((item) => item.listed < expected(item) && item.listed + (underWay.get(item.itemId) ?? 0) >= expected(item));
    if (isMoving || isExplained) return { status: 'warning', message: 'Units are on the move just now, so that the lists can not be checked; the proof can.', figures };
    return { status: 'failed', message: 'The stock lists do not hold the units that may be sold. The proof names the tokens; the scheduler mends them within half a minute.', figures };
  }

  /** By item, how many tokens are claimed or being withdrawn: MySQL may not know of it yet. */
  private async underWay({ id, shards }: Sale): Promise<Map<string, number>> {
    const taken = await Promise.all(
      shardsOf(id, shards).map(async (shard) => [
        ...(await this.stock.claimed(shard)).map(({ itemId }) => ({ itemId, units: 1 })),
        ...(await this.stock.withdrawals(shard)).map(({ itemId, serials }) => ({ itemId, units: serials.length })),
      ]),
    );
    const byItem = new Map<string, number>();
    for (const { itemId, units } of taken.flat()) byItem.set(itemId, (byItem.get(itemId) ?? 0) + units);
    return byItem;
  }
}

const expected = ({ stock, sold, returning }: ItemUnits): number => stock - sold - returning;
const fits = (item: ItemUnits): boolean => item.listed === expected(item);

const totals = (units: ItemUnits[]): { listed: number; expected: number } => ({
  listed: units.reduce((sum, { listed }) => sum + listed, 0),
  expected: units.reduce((sum, item) => sum + expected(item), 0),
});
