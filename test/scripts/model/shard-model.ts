import type { BasketLine, Settlement } from '../../../src/seckill/seckill.scripts.js';
import { DatabaseModel, type ReturnRow, type Token } from './database-model.js';

export interface Ticket {
  ticketId: string;
  status: string;
  seq: number;
  basket?: BasketLine[];
}

export interface Claim {
  ticketId: string;
  userId: string;
  seq: number;
  tokens: Token[];
}

/** What Redis should hold; lists have what goes out next first. */
export class ShardState {
  readonly stock = new Map<string, number[]>();
  queue: { seq: number; userId: string }[] = [];
  readonly tickets = new Map<string, Ticket>();
  readonly units = new Map<string, number>();
  readonly claimed = new Map<string, Claim>();
  readonly working = new Set<string>();
  readonly withdrawing = new Map<string, Token[]>();
  standby: { seq: number; userId: string }[] = [];
  /** How far down the standby line the free units were offered: up to a sequence number, or to all; null: to nobody yet. */
  offered: number | 'all' | null = null;
  /** Items of which somebody was refused because there was none. */
  readonly wanted = new Set<string>();
  /** In mode `instant`: the newest join that was queued. */
  queuedUpTo = 0;
  seq = 0;
  served = 0;
  /** Sequence number of the join that asked for the drain. */
  waking: number | null = null;
  lease: { drainId: string; isOver: boolean } | null = null;

  constructor(readonly epoch: number) {}

  get isAnythingFree(): boolean {
    return [...this.stock.values()].some((list) => list.length > 0);
  }

  canFill(basket: BasketLine[]): boolean {
    return basket.every(({ itemId, quantity }) => this.list(itemId).length >= quantity);
  }

  standBy(entry: { seq: number; userId: string }): void {
    this.standby.push(entry);
    this.standby.sort((a, b) => a.seq - b.seq);
  }

  /** Who asked for this was refused. */
  noteWish(lines: BasketLine[]): void {
    for (const { itemId } of lines) if (this.list(itemId).length === 0) this.wanted.add(itemId);
  }

  list(itemId: string): number[] {
    return this.stock.get(itemId) ?? [];
  }

  addUnits(userId: string, itemId: string, by: number): void {
    const key = `${userId}:${itemId}`;
    this.units.set(key, (this.units.get(key) ?? 0) + by);
  }
}

export const isLive = (status: string | undefined): boolean => ['queued', 'reserved', 'standby', 'awaiting_payment'].includes(status ?? '');
const isWaiting = (status: string | undefined): boolean => status === 'queued' || status === 'reserved' || status === 'standby';

/** The scripts retold in plain TypeScript: predicts each answer and what stands in Redis afterwards. */
export class ShardModel {
  readonly db: DatabaseModel;
  saleState: 'open' | 'paused' | 'ended' = 'open';
  claims: 'go_on' | 'stopped' = 'go_on';
  /** null: nothing is loaded. */
  state: ShardState | null = null;

  constructor(
    readonly mode: 'queue' | 'instant',
    readonly limit: number,
    stock: Record<string, number>,
    readonly standbyLimit = 0,
  ) {
    this.db = new DatabaseModel(stock);
  }

  load(epoch: number): 'loaded' | 'standing' {
    if (this.state && this.state.epoch >= epoch) return 'standing';
    const state = (this.state = new ShardState(epoch));
    for (const itemId of this.db.issued.keys()) state.stock.set(itemId, this.db.freeSerials(itemId));
    for (const [key, units] of this.db.units()) state.units.set(key, units);
    for (const { userId, ticketId, status } of this.db.newestOrders()) state.tickets.set(userId, { ticketId, status, seq: 0 });
    return 'loaded';
  }

  join(userId: string, ticketId: string, basket: BasketLine[]): object {
    const { state } = this;
    if (!state) return { outcome: 'not_loaded' };
    const held = state.tickets.get(userId);
    const accepted = (seq: number, isReserved: boolean): object => ({
      outcome: isReserved ? 'reserved' : 'queued', position: Math.max(1, seq - state.served), wake: state.waking === seq,
    });
    if (held?.ticketId === ticketId) return accepted(held.seq, this.mode === 'instant' && held.status !== 'queued' && held.status !== 'standby');
    if (this.saleState !== 'open') return { outcome: this.saleState };
    if (isLive(held?.status)) return { outcome: held?.status === 'awaiting_payment' ? 'unpaid_order' : 'already_queued' };
    for (const { itemId, quantity } of basket) {
      if ((state.units.get(`${userId}:${itemId}`) ?? 0) + quantity > this.limit) return { outcome: 'limit_reached', itemId, limit: this.limit };
    }
    const short = basket.find(({ itemId, quantity }) => state.list(itemId).length < quantity);
    if (short && state.standby.length >= this.standbyLimit) {
      state.noteWish([short]);
      return { outcome: 'sold_out', itemId: short.itemId, left: state.list(short.itemId).length };
    }
    const isReserved = this.mode === 'instant' && state.canFill(basket) && state.standby.length === 0 && state.queuedUpTo <= state.served;
    state.seq += 1;
    if (this.mode === 'instant' && !isReserved) state.queuedUpTo = state.seq;
    if (isReserved) this.take(state, { ticketId, userId, seq: state.seq }, basket);
    state.tickets.set(userId, { ticketId, status: isReserved ? 'reserved' : 'queued', seq: state.seq, basket });
    state.queue.push({ seq: state.seq, userId });
    state.waking ??= state.seq;
    return accepted(state.seq, isReserved);
  }

  private take(state: ShardState, claim: Omit<Claim, 'tokens'>, basket: BasketLine[]): Claim {
    const tokens = basket.flatMap(({ itemId, quantity }) => state.list(itemId).splice(0, quantity).map((serial) => ({ itemId, serial })));
    for (const { itemId } of tokens) state.addUnits(claim.userId, itemId, 1);
    state.claimed.set(claim.ticketId, { ...claim, tokens });
    return { ...claim, tokens };
  }

  leave(userId: string): object {
    if (!this.state) return { outcome: 'not_loaded' };
    const ticket = this.state.tickets.get(userId);
    if (!ticket) return { outcome: 'no_ticket' };
    if (ticket.status === 'left') return { outcome: 'left' };
    const isOnStandby = this.state.standby.some((entry) => entry.userId === userId);
    this.state.standby = this.state.standby.filter((entry) => entry.userId !== userId);
    if (!isOnStandby && (ticket.status !== 'queued' || ticket.seq <= this.state.served)) return { outcome: 'claimed', status: ticket.status };
    this.state.tickets.set(userId, { ticketId: ticket.ticketId, status: 'left', seq: ticket.seq });
    return { outcome: 'left' };
  }

  /** Of tickets left unsettled a claim may hand out any, so `again` names all of them. */
  claim(drainId: string, most: number, isOver: boolean): { outcome: string; claims?: Claim[]; soldOut?: number; standby?: number; again?: Claim[] } {
    const { state } = this;
    if (!state) return { outcome: 'not_loaded' };
    if (state.lease && state.lease.drainId !== drainId && !state.lease.isOver) return { outcome: 'busy' };
    state.lease = { drainId, isOver };
    if (state.working.size > 0) return { outcome: 'claimed', again: [...state.claimed.values()].filter(({ ticketId }) => state.working.has(ticketId)) };
    if (this.saleState === 'paused' && this.claims === 'stopped') {
      state.waking = state.lease = null;
      return { outcome: 'stopped' };
    }
    const served = this.serveStandby(state, most);
    if (served) return { outcome: 'claimed', ...served };
    if (state.queue.length === 0) {
      state.waking = state.lease = null;
      return { outcome: 'empty' };
    }
    return { outcome: 'claimed', ...this.claimWaiting(state, state.queue.splice(0, most)) };
  }

  /** What the standby line gets, or how it ends; undefined when that leaves nothing to say. */
  private serveStandby(state: ShardState, most: number): { claims: Claim[]; soldOut: number; standby: number } | undefined {
    if (state.standby.length > 0 && this.saleState === 'ended') {
      const over = state.standby.splice(0, most);
      for (const { userId, seq } of over) state.tickets.set(userId, { ticketId: state.tickets.get(userId)?.ticketId ?? '', status: 'sold_out', seq });
      return { claims: [], soldOut: over.length, standby: 0 };
    }
    if (state.standby.length === 0 || state.offered === 'all') return undefined;
    const { offered } = state;
    const asked = state.isAnythingFree ? state.standby.filter(({ seq }) => offered === null || seq > offered).slice(0, most) : [];
    const claims: Claim[] = [];
    let isThrough = asked.length < most;
    for (const { seq, userId } of asked) {
      const { ticketId = '', basket = [] } = state.tickets.get(userId) ?? {};
      state.offered = seq;
      if (!state.canFill(basket)) continue;
      claims.push(this.take(state, { ticketId, userId, seq }, basket));
      state.working.add(ticketId);
      state.standby = state.standby.filter((entry) => entry.userId !== userId);
      isThrough ||= !state.isAnythingFree;
      if (!state.isAnythingFree) break;
    }
    if (isThrough) state.offered = 'all';
    return claims.length > 0 || !isThrough ? { claims, soldOut: 0, standby: 0 } : undefined;
  }

  private claimWaiting(state: ShardState, entries: { seq: number; userId: string }[]): { claims: Claim[]; soldOut: number; standby: number } {
    const claims: Claim[] = [];
    let [soldOut, standby] = [0, 0];
    for (const { seq, userId } of entries) {
      state.served = Math.max(state.served, seq);
      const ticket = state.tickets.get(userId);
      if (!ticket || ticket.seq !== seq || !isWaiting(ticket.status)) continue;
      const { ticketId, basket = [] } = ticket;
      const isShort = ticket.status === 'queued' && !state.canFill(basket);
      if (isShort && state.standby.length < this.standbyLimit && this.saleState !== 'ended') {
        state.tickets.set(userId, { ...ticket, status: 'standby' });
        state.standBy({ seq, userId });
        standby += 1;
        continue;
      }
      if (isShort) {
        state.noteWish(basket);
        state.tickets.set(userId, { ticketId, status: 'sold_out', seq });
        soldOut += 1;
        continue;
      }
      if (ticket.status === 'queued') this.take(state, { ticketId, userId, seq }, basket);
      const claim = state.claimed.get(ticketId);
      if (!claim) continue;
      state.working.add(ticketId);
      claims.push(claim);
    }
    return { claims, soldOut, standby };
  }

  settle(epoch: number, drainId: string, settlements: Settlement[]): 'settled' | 'stale' | 'not_ours' {
    const { state } = this;
    if (state?.epoch !== epoch) return 'stale';
    if (state.lease?.drainId !== drainId) return 'not_ours';
    const batch = new Map<Claim, Settlement>();
    for (const settlement of settlements) {
      const claim = state.claimed.get(settlement.ticketId);
      if (claim) batch.set(claim, settlement);
      state.claimed.delete(settlement.ticketId);
      state.working.delete(settlement.ticketId);
    }
    for (const [claim, settlement] of [...batch].sort(([a], [b]) => b.seq - a.seq)) this.settleOne(state, claim, settlement);
    state.queue.sort((a, b) => a.seq - b.seq);
    return 'settled';
  }

  private settleOne(state: ShardState, { ticketId, userId, seq, tokens }: Claim, settlement: Settlement): void {
    const ticket = state.tickets.get(userId);
    const isOpen = ticket?.ticketId === ticketId && isWaiting(ticket.status);
    if (settlement.outcome === 'ordered') {
      if (isOpen) state.tickets.set(userId, { ticketId, status: 'awaiting_payment', seq });
      return;
    }
    const isDropped = (token: Token): boolean => settlement.drop.some((drop) => drop.itemId === token.itemId && drop.serial === token.serial);
    for (const token of [...tokens].reverse()) {
      if (isDropped(token)) this.db.outOfSale.push(token);
      else state.list(token.itemId).unshift(token.serial);
      state.addUnits(userId, token.itemId, -1);
    }
    state.offered = null;
    if (!isOpen) return;
    if (settlement.outcome === 'requeued' && ticket.status === 'standby') state.standBy({ seq, userId });
    else if (settlement.outcome === 'requeued') {
      state.tickets.set(userId, { ...ticket, status: 'queued' });
      state.queue.push({ seq, userId });
    } else {
      state.tickets.set(userId, { ticketId, status: settlement.reason === 'SOLD_OUT' ? 'sold_out' : 'rejected', seq });
    }
  }

  release(epoch: number, row: ReturnRow): { outcome: 'released' | 'repeated' | 'stale'; wake: boolean } {
    const { state } = this;
    if (state?.epoch !== epoch) return { outcome: 'stale', wake: false };
    if (row.doneIn === epoch) return { outcome: 'repeated', wake: false };
    row.doneIn = epoch;
    state.list(row.itemId).push(row.serial);
    if (row.userId !== null) state.addUnits(row.userId, row.itemId, -1);
    state.offered = null;
    const wake = state.standby.length > 0 && state.waking === null;
    if (wake) state.waking = 0;
    return { outcome: 'released', wake };
  }

  finish(epoch: number, userId: string, ticketId: string, status: string): 'finished' | 'other_ticket' | 'stale' {
    if (this.state?.epoch !== epoch) return 'stale';
    const ticket = this.state.tickets.get(userId);
    if (ticket?.ticketId !== ticketId) return 'other_ticket';
    this.state.tickets.set(userId, { ticketId, status, seq: ticket.seq });
    return 'finished';
  }

  withdraw(epoch: number, id: string, itemId: string, quantity: number): object {
    const { state } = this;
    if (state?.epoch !== epoch) return { outcome: 'stale' };
    const known = state.withdrawing.get(id);
    if (known) return { outcome: 'taken', serials: known.map(({ serial }) => serial) };
    const list = state.list(itemId);
    if (list.length < quantity) return { outcome: 'short', left: list.length };
    const serials = list.splice(list.length - quantity).reverse();
    state.withdrawing.set(id, serials.map((serial) => ({ itemId, serial })));
    return { outcome: 'taken', serials };
  }

  conclude(epoch: number, id: string, end: 'withdrawn' | 'returned'): void {
    const tokens = this.state?.epoch === epoch ? this.state.withdrawing.get(id) : undefined;
    if (!tokens) return;
    if (end === 'withdrawn') this.db.outOfSale.push(...tokens);
    else for (const { itemId, serial } of [...tokens].reverse()) this.state?.list(itemId).push(serial);
    if (end === 'returned' && this.state) this.state.offered = null;
    this.state?.withdrawing.delete(id);
  }
}
