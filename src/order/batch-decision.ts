import { Injectable, Logger } from '@nestjs/common';
import type { ClaimedTicket, Sale, SaleShard } from '../goods/index.js';
import { RedisClock } from '../infra/clock/index.js';
import type { Settlement } from '../seckill/index.js';
import { draftOrders } from './order-drafting.js';
import { OrderRepository, type ExistingOrder, type NewOrder, type OrderBatch } from './order.repository.js';

/** `stale`: the sale's state was built anew since the claim, so nothing of the batch counts. */
export type Decision = { outcome: 'decided'; settlements: Settlement[] } | { outcome: 'stale' };

export interface Batch {
  sale: Sale;
  shard: SaleShard;
  epoch: string;
  tickets: ClaimedTicket[];
  /** Some of the tickets may have become orders before. */
  again: boolean;
}

export interface DraftedBatch extends Pick<Batch, 'sale' | 'shard' | 'epoch'> {
  /** The tickets that became orders before. */
  known: Settlement[];
  drafts: NewOrder[];
}

/**
 * Decides what becomes of a claimed batch. Normally one transaction takes it whole. Where MySQL refuses, the batch is halved until the
 * tickets it objects to stand alone, and each of these is decided by what MySQL holds against it.
 */
@Injectable()
export class BatchDecision {
  private readonly logger = new Logger('Drain');

  constructor(
    private readonly orders: OrderRepository,
    private readonly clock: RedisClock,
  ) {}

  /** Makes the orders of a batch, but for those that MySQL has already. @throws when MySQL can't be asked */
  async draft({ sale, shard, epoch, tickets, again }: Batch): Promise<DraftedBatch> {
    const existing = again ? await this.orders.findByTickets(tickets.map((ticket) => ticket.ticketId)) : new Map<string, ExistingOrder>();
    const known = [...existing].map(([ticketId, order]) => ordered(ticketId, order));
    const fresh = tickets.filter((ticket) => !existing.has(ticket.ticketId));
    return { sale, shard, epoch, known, drafts: draftOrders(sale, fresh, this.clock.nowMs()) };
  }

  /** @throws when MySQL can't be asked; the batch then stays claimed and may be drafted and decided again */
  async decide({ shard, epoch, known, drafts }: DraftedBatch): Promise<Decision> {
    const decision = await this.commit({ saleId: shard.saleId, shard: shard.shard, epoch, orders: drafts });
    return decision.outcome === 'stale' ? decision : { outcome: 'decided', settlements: [...known, ...decision.settlements] };
  }

  private async commit(batch: OrderBatch): Promise<Decision> {
    const outcome = await this.orders.commit(batch);
    if (outcome === 'stale') return { outcome: 'stale' };
    if (outcome === 'committed') return { outcome: 'decided', settlements: batch.orders.map((order) => ordered(order.ticketId, asExisting(order))) };
    const [only, ...others] = batch.orders;
    if (only && others.length === 0) return { outcome: 'decided', settlements: [await this.decideAlone(only, outcome)] };
    return this.commitHalves(batch);
  }

  private async commitHalves(batch: OrderBatch): Promise<Decision> {
    const middle = Math.ceil(batch.orders.length / 2);
    const first = await this.commit({ ...batch, orders: batch.orders.slice(0, middle) });
    if (first.outcome === 'stale') return first;
    const second = await this.commit({ ...batch, orders: batch.orders.slice(middle) });
    if (second.outcome === 'stale') return second;
    return { outcome: 'decided', settlements: [...first.settlements, ...second.settlements] };
  }

  private async decideAlone(order: NewOrder, outcome: 'refused' | 'failed'): Promise<Settlement> {
    const refusal = await this.orders.diagnose(order);
    this.logger.warn({ ticketId: order.ticketId, refusal: refusal.outcome, msg: 'MySQL refused a ticket' });
    switch (refusal.outcome) {
      case 'exists':
        return ordered(order.ticketId, refusal);
      case 'rejected':
        return { ticketId: order.ticketId, outcome: 'rejected', reason: refusal.reason, drop: [] };
      case 'tokens_taken':
        return { ticketId: order.ticketId, outcome: 'requeued', drop: refusal.tokens };
      case 'no_objection':
        // What merely stood in the way has gone; what MySQL can't write at all would come back for ever.
        return outcome === 'refused'
          ? { ticketId: order.ticketId, outcome: 'requeued', drop: [] }
          : { ticketId: order.ticketId, outcome: 'rejected', reason: 'NOT_POSSIBLE', drop: [] };
    }
  }
}

function ordered(ticketId: string, { orderId, amountMinor, currency, payBeforeMs }: ExistingOrder): Settlement {
  return { ticketId, outcome: 'ordered', orderId, amountMinor, currency, payBeforeMs };
}

function asExisting({ id, amountMinor, currency, payBefore }: NewOrder): ExistingOrder {
  return { orderId: id, amountMinor, currency, payBeforeMs: payBefore.getTime() };
}
