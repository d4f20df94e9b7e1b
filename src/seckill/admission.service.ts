import { Injectable } from '@nestjs/common';
import type { AuthenticatedUser } from '../auth/index.js';
import { mayTakePart, SaleDirectory, shardOf, type SaleShard } from '../goods/index.js';
import { DomainError } from '../infra/errors.js';
import { Metrics } from '../infra/metrics/index.js';
import { DrainSignal } from './drain-signal.js';
import type { JoinedView } from './dto/ticket.view.js';
import { pollAfterMs } from './pace.js';
import { JoinRefusal } from './join-refusal.js';
import { SaleTally } from './sale-tally.js';
import { SeckillScripts, type BasketLine } from './seckill.scripts.js';
import { SoldOutFlags } from './sold-out-flags.js';
import { newTicketId } from './ticket-id.js';

/** Lets shoppers into a sale: one round trip to Redis, none to MySQL. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly directory: SaleDirectory,
    private readonly flags: SoldOutFlags,
    private readonly scripts: SeckillScripts,
    private readonly signal: DrainSignal,
    private readonly refusal: JoinRefusal,
    private readonly metrics: Metrics,
    private readonly tally: SaleTally,
  ) {}

  /**
   * Puts a shopper into the line of a sale with a basket. The ticket id is made here, so that a call which the client library sends
   * twice is known as one.
   * @param idempotencyKey a repeat with the same key gets the first answer again
   * @throws DomainError with the code that the contract names for each refusal
   */
  async join(user: AuthenticatedUser, saleId: string, basket: BasketLine[], idempotencyKey?: string): Promise<JoinedView> {
    const userId = user.id;
    const shard = await this.shardFor(saleId, user);
    for (const { itemId } of basket) {
      // Who repeats a call may have got the last unit with it.
      if (idempotencyKey === undefined && this.flags.refuses(shard, itemId)) throw this.refused(saleId, this.refusal.soldOut(itemId, 0));
    }
    const newId = newTicketId();
    const joined = await this.scripts.join(shard, { ticketId: newId, userId, basket, idempotencyKey });
    if ('position' in joined) {
      const { ticketId } = joined;
      if (joined.wake) this.signal.wake(shard);
      this.metrics.joins.inc({ outcome: joined.outcome });
      // A repeat with the same idempotency key is answered with the ticket of the first call.
      if (ticketId === newId) this.tally.count(saleId, 'join', joined.outcome);
      return { ticketId, status: joined.outcome, position: joined.position, pollAfterMs: pollAfterMs(joined.position, joined.ratePerSecond) };
    }
    if (joined.outcome === 'sold_out' && joined.left === 0) this.flags.set(shard, joined.itemId);
    throw this.refused(saleId, await this.refusal.of(saleId, joined));
  }

  /**
   * The refusal of a basket of which this process knows that an item is sold out on every shard, so that it does not matter who asks. It is
   * counted as any other. Of a shadow sale nothing is said before it is known who asks.
   */
  refusalAtHand(saleId: string, basket: BasketLine[]): DomainError | null {
    const layout = this.directory.knownLayoutOf(saleId);
    const line = layout?.rehearsalId === null && basket.find(({ itemId }) => this.flags.hasAll(saleId, layout.shards, itemId));
    return layout && line ? this.refused(saleId, this.refusal.soldOut(line.itemId, 0)) : null;
  }

  private async shardFor(saleId: string, user: AuthenticatedUser): Promise<SaleShard> {
    const layout = this.directory.knownLayoutOf(saleId) ?? (await this.directory.layoutOf(saleId));
    if (!layout || !mayTakePart(user.username, layout)) throw new DomainError('SALE_NOT_FOUND', `There is no sale ${saleId}.`);
    return { saleId, shard: shardOf(user.id, layout.shards) };
  }

  private refused(saleId: string, error: DomainError): DomainError {
    this.metrics.joins.inc({ outcome: error.code });
    this.tally.count(saleId, 'join', error.code);
    return error;
  }
}
