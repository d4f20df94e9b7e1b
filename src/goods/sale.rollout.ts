import { Injectable } from '@nestjs/common';
import type { Sale } from './entities/sale.entity.js';
import { Preloader } from './preloader.js';
import { SaleSteering } from './sale-steering.js';
import { SalePages } from './sale.pages.js';

/** Carries what an operator decided in MySQL on to where shoppers feel it: the pages, the loaded state, and the state still to be loaded. */
@Injectable()
export class SaleRollout {
  constructor(
    private readonly pages: SalePages,
    private readonly steering: SaleSteering,
    private readonly preloader: Preloader,
  ) {}

  /** May be repeated. Where it fails, the preload job brings the change over later. */
  async follow({ id, stage }: Pick<Sale, 'id' | 'stage'>): Promise<void> {
    this.pages.forget(id);
    if (stage === 'draft') return;
    await this.steering.apply(id);
    if (stage === 'published') await this.preloader.preloadIfDue(id);
  }
}
