import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Settings } from '../../config/index.js';
import { Preloader, shardsOf, type Sale } from '../../goods/index.js';
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
    private readonly stock: StockScripts,
    private readonly units: SaleUnits,
    private readonly preloader: Preloader,
    private readonly clock: RedisClock,
    private readonly settings: Settings,
  ) {}

  async look(sale: Sale): Promise<Finding> {
    if (sale.stage === 'draft') return { status: 'failed', message: 'The sale is a draft: publish it.', figures: {} };
    const standing = await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.stands(shard, sale.epoch)));
    if (!standing.every(Boolean)) return this.notLoaded(sale, standing.filter(Boolean).length);
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
    const claimed = (await Promise.all(shardsOf(sale.id, sale.shards).map((shard) => this.stock.figures(shard)))).reduce((sum, shard) => sum + (shard?.claimed ?? 0), 0);
    const odd = units.filter((item) => !fits(item)).map((item) => [`item ${item.itemId}`, `${item.listed} in the lists, ${expected(item)} expected`]);
    const figures = { ...totals(units), claimedTickets: claimed, ...(Object.fromEntries(odd) as Record<string, string>) };
    if (isMoving || claimed > 0) return { status: 'warning', message: 'Units are on the move just now, so that the lists can not be checked; the proof can.', figures };
    return { status: 'failed', message: 'The stock lists do not hold the units that may be sold. The proof names the tokens; the scheduler mends them within half a minute.', figures };
  }
}

const expected = ({ stock, sold, returning }: ItemUnits): number => stock - sold - returning;
const fits = (item: ItemUnits): boolean => item.listed === expected(item);

const totals = (units: ItemUnits[]): { listed: number; expected: number } => ({
  listed: units.reduce((sum, { listed }) => sum + listed, 0),
  expected: units.reduce((sum, item) => sum + expected(item), 0),
});
