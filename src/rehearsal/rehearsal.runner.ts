import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost, type AbstractHttpAdapter } from '@nestjs/core';
import type { Server } from 'node:http';
import { TestShoppers, type ShopperToken } from '../auth/index.js';
import { Settings } from '../config/index.js';
import { rehearsalShoppers } from '../goods/index.js';
import { reasonOf } from '../infra/errors.js';
import { ownAddress } from '../infra/http/index.js';
import { ProofService } from '../order/index.js';
import { Cleaning } from './cleaning.js';
import { CrowdClient } from './crowd/crowd-client.js';
import { Heartbeat } from './heartbeat.js';
import { faultsOf, reportOf, Tally, type ProvenSale } from './rehearsal-report.js';
import { Rehearsals, type Held, type RehearsalEnd, type RehearsalPlan, type RehearsalProgress } from './rehearsals.js';
import { SaleRun } from './sale-run.js';
import { ShadowSales } from './shadow-sales.js';

/** The longest that the crowd may take. */
const MOST_MS = 10 * 60_000;

/** A rehearsal that has begun; `progress` is kept up to date, and `ended` never rejects. */
export interface Begun {
  id: string;
  progress: Readonly<RehearsalProgress>;
  ended: Promise<RehearsalEnd>;
  /** Ends it early; it fails for this reason, and is cleaned up as always. */
  stop: (reason: string) => void;
}

/** Rehearses: shadow sale, crowd, proof, report, and everything cleaned up, whatever happens. */
@Injectable()
export class RehearsalRunner implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Rehearsal');
  private readonly underWay = new Set<Begun>();

  constructor(
    private readonly rehearsals: Rehearsals,
    private readonly sales: ShadowSales,
    private readonly shoppers: TestShoppers,
    private readonly proof: ProofService,
    private readonly cleaning: Cleaning,
    private readonly settings: Settings,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Begins a rehearsal, which goes on by itself. @throws DomainError REHEARSAL_RUNNING */
  async start(plan: RehearsalPlan): Promise<Begun> {
    const held = await this.rehearsals.begin(plan);
    const progress: RehearsalProgress = { phase: 'preparing', joined: 0, decided: 0, paid: 0 };
    const stopping = new AbortController();
    const ended = this.run(held, progress, stopping.signal);
    const begun = { id: held.id, progress, ended, stop: (reason: string) => stopping.abort(new Error(reason)) };
    this.underWay.add(begun);
    void ended.then(() => this.underWay.delete(begun));
    return begun;
  }

  /** Cleans up after a rehearsal of which nothing is under way any more, and writes down how it ended. Where this fails, another process takes it over. */
  async conclude(held: Held, progress: RehearsalProgress, end: RehearsalEnd): Promise<void> {
    progress.phase = 'cleaning';
    await this.cleaning.clean(held.id);
    await this.rehearsals.finish(held, progress, end);
    progress.phase = 'done';
    const { id, shoppers, stock } = held;
    this.logger.log({ rehearsalId: id, shoppers, stock, state: end.state, ...(end.state === 'failed' && { reason: end.reason }), msg: 'rehearsal ended' });
  }

  async beforeApplicationShutdown(): Promise<void> {
    const all = [...this.underWay];
    for (const { stop } of all) stop('the process that ran it was stopped');
    await Promise.all(all.map(({ ended }) => ended));
  }

  private async run(held: Held, progress: RehearsalProgress, stop: AbortSignal): Promise<RehearsalEnd> {
    const heartbeat = new Heartbeat(this.rehearsals, held, progress);
    const end = await this.rehearse(held, progress, [stop, heartbeat.lostSignal]);
    try {
      if (!heartbeat.lostSignal.aborted) await this.conclude(held, progress, end);
    } catch (error) {
      this.logger.error({ rehearsalId: held.id, err: error, msg: 'not cleaned up; the scheduler will' });
    } finally {
      await heartbeat.stop();
    }
    return end;
  }

  private async rehearse(held: Held, progress: RehearsalProgress, stops: AbortSignal[]): Promise<RehearsalEnd> {
    const failed = new AbortController();
    const deadline = setTimeout(() => failed.abort(new Error(`it took longer than ${MOST_MS / 60_000} minutes`)), MOST_MS);
    const client = new CrowdClient(this.address(), AbortSignal.any([...stops, failed.signal]));
    try {
      return await this.sell(held, progress, client);
    } catch (error) {
      // What the others of the crowd still have under way ends, too.
      failed.abort(error);
      return { state: 'failed', reason: reasonOf(error) };
    } finally {
      clearTimeout(deadline);
      await client.close();
    }
  }

  private async sell(held: Held, progress: RehearsalProgress, client: CrowdClient): Promise<RehearsalEnd> {
    const shoppers = await this.makeShoppers(held, client.signal);
    const sale = await this.sales.open(held.id, held.stock);
    client.signal.throwIfAborted();
    const tally = new Tally();
    await new SaleRun(client, sale, this.settings.waysToPay.includes('sandbox'), tally, progress).run(shoppers);
    progress.phase = 'proving';
    const proven = await this.prove(sale.saleId);
    const report = reportOf(tally, proven);
    const faults = faultsOf(held, tally, proven);
    return faults.length === 0 ? { state: 'passed', report } : { state: 'failed', reason: faults.join('; '), report };
  }

  private async makeShoppers({ id, shoppers }: Held, signal: AbortSignal): Promise<ShopperToken[]> {
    const made: ShopperToken[] = [];
    for await (const batch of this.shoppers.create(shoppers, { prefix: rehearsalShoppers(id), removable: true })) {
      made.push(...batch);
      signal.throwIfAborted();
    }
    return made;
  }

  private async prove(saleId: string): Promise<ProvenSale> {
    const { ok, items } = await this.proof.prove(saleId);
    return { ok, odd: items.reduce((sum, item) => sum + item.odd.length, 0), held: items.reduce((sum, item) => sum + item.held, 0) };
  }

  /** The command line has no server of its own: it finds the one that runs by the settings. */
  private address(): string {
    const { httpAdapter }: { httpAdapter?: AbstractHttpAdapter } = this.http;
    return ownAddress(this.settings, httpAdapter?.getHttpServer() as Server | undefined);
  }
}
