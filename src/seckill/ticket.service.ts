import { Injectable } from '@nestjs/common';
import { isLive, SaleDirectory, shardOf, type SaleShard } from '../goods/index.js';
import { DomainError } from '../infra/errors.js';
import type { TicketView } from './dto/ticket.view.js';
import { JoinRefusal } from './join-refusal.js';
import { SeckillScripts } from './seckill.scripts.js';
import { TicketReader } from './ticket.reader.js';
import { viewOf } from './view-of-ticket.js';

/** Tells shoppers where they stand, from Redis alone, and lets them leave the line. */
@Injectable()
export class TicketService {
  constructor(
    private readonly directory: SaleDirectory,
    private readonly scripts: SeckillScripts,
    private readonly tickets: TicketReader,
    private readonly refusal: JoinRefusal,
  ) {}

  /** @throws DomainError SALE_NOT_FOUND, NO_TICKET, or NOT_LOADED while a lost state is being rebuilt */
  async find(userId: string, saleId: string): Promise<TicketView> {
    const shard = await this.shardFor(saleId, userId);
    const found = await this.tickets.read(shard, userId);
    if (found === null) throw await this.nothingLoaded(saleId);
    if (found.ticket === null) throw noTicket();
    return viewOf(found.ticket, found);
  }

  /**
   * Leaves the queue, or the standby line.
   * @throws DomainError NO_TICKET, TICKET_CLAIMED once a drain (or the reservation) has taken tokens for it, also when it has ended since
   */
  async leave(userId: string, saleId: string): Promise<void> {
    const left = await this.scripts.leave(await this.shardFor(saleId, userId), userId);
    if (left.outcome === 'not_loaded') throw await this.nothingLoaded(saleId);
    if (left.outcome === 'no_ticket') throw noTicket();
    if (left.outcome === 'claimed') throw tooLateToLeave(left.status);
  }

  /** While a live sale is being rebuilt the ticket may well come back: say so. Otherwise there is none. */
  private async nothingLoaded(saleId: string): Promise<DomainError> {
    const why = await this.refusal.of(saleId, { outcome: 'not_loaded' });
    return why.code === 'NOT_LOADED' || why.code === 'SALE_NOT_FOUND' ? why : noTicket();
  }

  /** The shard on which the shopper's ticket lies. @throws DomainError SALE_NOT_FOUND */
  async shardFor(saleId: string, userId: string): Promise<SaleShard> {
    const layout = this.directory.knownLayoutOf(saleId) ?? (await this.directory.layoutOf(saleId));
    if (!layout) throw new DomainError('SALE_NOT_FOUND', `There is no sale ${saleId}.`);
    return { saleId, shard: shardOf(userId, layout.shards) };
  }
}

function tooLateToLeave(ticketStatus: string): DomainError {
  const has = ticketStatus === 'awaiting_payment' ? 'has become an order, which can be cancelled' : 'is being served';
  const why = isLive({ status: ticketStatus }) ? `it ${has}` : `it has ended (${ticketStatus})`;
  return new DomainError('TICKET_CLAIMED', `The ticket is no longer waiting in line: ${why}.`, { ticketStatus });
}

const noTicket = (): DomainError => new DomainError('NO_TICKET', 'You have no ticket in this sale.');
