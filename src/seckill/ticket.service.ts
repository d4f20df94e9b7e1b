import { Injectable } from '@nestjs/common';
import { SaleDirectory, shardOf, type SaleShard, type TicketRecord } from '../goods/index.js';
import { DomainError } from '../infra/errors.js';
import type { TicketView } from './dto/ticket.view.js';
import { JoinRefusal } from './join-refusal.js';
import { etaSeconds, pollAfterMs } from './pace.js';
import { SeckillScripts, type TicketView as StoredTicket } from './seckill.scripts.js';

/** How often to look whether an order was paid or ran out. */
const AWAITING_POLL_MS = 2000;
/** Units come back at the pace of other shoppers' deadlines. */
const STANDBY_POLL_MS = 3000;

/** Tells shoppers where they stand, from Redis alone, and lets them leave the line. */
@Injectable()
export class TicketService {
  constructor(
    private readonly directory: SaleDirectory,
    private readonly scripts: SeckillScripts,
    private readonly refusal: JoinRefusal,
  ) {}

  /** @throws DomainError SALE_NOT_FOUND, NO_TICKET, or NOT_LOADED while a lost state is being rebuilt */
  async find(userId: string, saleId: string): Promise<TicketView> {
    const shard = await this.shardFor(saleId, userId);
    const found = await this.scripts.readTicket(shard, userId);
    if (found === null) throw await this.nothingLoaded(saleId);
    if (found.ticket === null) throw noTicket();
    return viewOf(found.ticket, found);
  }

  /** Leaves the queue, or the standby line. @throws DomainError NO_TICKET, TICKET_CLAIMED once a drain (or the reservation) has taken tokens for it */
  async leave(userId: string, saleId: string): Promise<void> {
    const left = await this.scripts.leave(await this.shardFor(saleId, userId), userId);
    if (left.outcome === 'not_loaded') throw await this.nothingLoaded(saleId);
    if (left.outcome === 'no_ticket') throw noTicket();
    if (left.outcome === 'claimed') throw new DomainError('TICKET_CLAIMED', 'The ticket is no longer waiting in the queue.', { ticketStatus: left.status });
  }

  /** While a live sale is being rebuilt the ticket may well come back: say so. Otherwise there is none. */
  private async nothingLoaded(saleId: string): Promise<DomainError> {
    const why = await this.refusal.of(saleId, { outcome: 'not_loaded' });
    return why.code === 'NOT_LOADED' || why.code === 'SALE_NOT_FOUND' ? why : noTicket();
  }

  private async shardFor(saleId: string, userId: string): Promise<SaleShard> {
    const layout = await this.directory.layoutOf(saleId);
    if (!layout) throw new DomainError('SALE_NOT_FOUND', `There is no sale ${saleId}.`);
    return { saleId, shard: shardOf(userId, layout.shards) };
  }
}

const noTicket = (): DomainError => new DomainError('NO_TICKET', 'You have no ticket in this sale.');

function viewOf(ticket: TicketRecord, { served, ratePerSecond, standbyPosition = 1 }: Omit<StoredTicket, 'ticket'>): TicketView {
  const { ticketId, status, reason, orderId, amountMinor, currency, payBeforeMs } = ticket;
  const view: TicketView = { ticketId, status, ...defined({ reason, orderId, amountMinor, currency }) };
  if (payBeforeMs !== undefined) view.payBefore = new Date(payBeforeMs).toISOString();
  if (status === 'awaiting_payment') view.pollAfterMs = AWAITING_POLL_MS;
  if (status === 'standby') Object.assign(view, { position: standbyPosition, pollAfterMs: STANDBY_POLL_MS });
  if (status === 'queued' || status === 'reserved') {
    view.position = Math.max(1, ticket.seq - served);
    view.etaSeconds = etaSeconds(view.position, ratePerSecond);
    view.pollAfterMs = pollAfterMs(view.position, ratePerSecond);
  }
  return view;
}

/** Drops members that are undefined. */
function defined<T extends Record<string, unknown>>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
