import { Preloader } from '../goods/index.js';
import { ProofService, StatsReader } from '../order/index.js';
import { print, withApplication } from './context.js';

/** `sale:preload` */
export async function preloadSale(saleId: string): Promise<void> {
  await withApplication(async (app) => print(await app.get(Preloader).preload(saleId)));
}

/** `sale:proof`: prints the proof; exit code 1 when it is not ok. */
export async function proveSale(saleId: string): Promise<void> {
  await withApplication(async (app) => {
    const proof = await app.get(ProofService).prove(saleId);
    print(proof);
    if (!proof.ok) process.exitCode = 1;
  });
}

/** `sale:stats` */
export async function showStats(saleId: string): Promise<void> {
  await withApplication(async (app) => print(await app.get(StatsReader).read(saleId)));
}
