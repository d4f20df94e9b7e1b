export type Basket = { item: number; quantity: number }[];
export type Mode = 'queue' | 'instant';

export interface ModelTicket {
  user: number;
  status: string;
  basket: Basket;
  seq: number;
}

export interface ModelOrder {
  user: number;
  basket: Basket;
  status: 'awaiting_payment' | 'paid' | 'cancelled' | 'expired';
  /** Whether its ticket has learned how it ended, and its units are back. */
  relayed: boolean;
}

const LIVE = ['queued', 'reserved', 'awaiting_payment'];

/**
 * What the service should be like, in the plainest form: one sale, its shoppers by number, units as numbers. Crashes leave claims, orders
 * and returns half-way here as they do there.
 */
export class ServiceModel {
  isPaused = false;
  readonly tickets = new Map<number, ModelTicket>();
  /** Tickets that a drain has in hand, also when their shoppers have new ones by now. */
  readonly working = new Set<ModelTicket>();
  /** An entry for each join, also of tickets that were left meanwhile: a claim takes that many entries, not tickets. */
  private queue: ModelTicket[] = [];
  readonly orders: ModelOrder[] = [];
  private seq = 0;

  constructor(
    readonly mode: Mode,
    readonly limit: number,
    readonly stock: number[],
  ) {}

  join(user: number, basket: Basket): string {
    if (this.isPaused) return 'PAUSED';
    const ticket = this.tickets.get(user);
    if (ticket && LIVE.includes(ticket.status)) return ticket.status === 'awaiting_payment' ? 'UNPAID_ORDER' : 'ALREADY_QUEUED';
    if (basket.some(({ item, quantity }) => this.unitsOf(user, item) + quantity > this.limit)) return 'LIMIT_REACHED';
    if (basket.some(({ item, quantity }) => this.free(item) < quantity)) return 'SOLD_OUT';
    this.seq += 1;
    const joined = { user, status: this.mode === 'instant' ? 'reserved' : 'queued', basket, seq: this.seq };
    this.tickets.set(user, joined);
    this.queue.push(joined);
    return 'OK';
  }

  leave(user: number): string {
    const ticket = this.tickets.get(user);
    if (!ticket) return 'NO_TICKET';
    if (ticket.status === 'left') return 'OK';
    if (ticket.status !== 'queued' || this.working.has(ticket)) return 'TICKET_CLAIMED';
    ticket.status = 'left';
    return 'OK';
  }

  /** One claim of a drain: what an earlier one left comes alone. */
  claim(most: number): void {
    if (this.working.size > 0) return;
    for (const ticket of this.queue.splice(0, most)) {
      if (!isWaiting(ticket)) continue;
      if (ticket.status === 'reserved' || ticket.basket.every(({ item, quantity }) => this.free(item) >= quantity)) this.working.add(ticket);
      else ticket.status = 'sold_out';
    }
  }

  /** The batch in hand becomes orders, each ticket at most one. */
  commit(): void {
    for (const ticket of this.working) {
      if (!this.orderOf(ticket)) this.orders.push({ user: ticket.user, basket: ticket.basket, status: 'awaiting_payment', relayed: false });
    }
  }

  settle(): void {
    for (const ticket of this.working) if (isWaiting(ticket)) ticket.status = 'awaiting_payment';
    this.working.clear();
  }

  unpaid(user: number): ModelOrder | undefined {
    return this.orders.find((order) => order.user === user && order.status === 'awaiting_payment');
  }

  close(order: ModelOrder, status: ModelOrder['status']): void {
    order.status = status;
  }

  /** Tickets learn how their orders ended, and the units of those that were not paid are free. */
  relay(orders: ModelOrder[]): void {
    for (const order of orders) {
      if (order.status === 'awaiting_payment' || order.relayed) continue;
      order.relayed = true;
      const ticket = this.tickets.get(order.user);
      if (ticket && ticket.basket === order.basket) ticket.status = order.status;
    }
  }

  /** Redis is built anew from the orders and the tickets that are left: all of them, or none. */
  rebuild(areTicketsLeft: boolean): void {
    const before = areTicketsLeft ? [...this.tickets.values()] : [];
    this.queue = before.filter((ticket) => isWaiting(ticket) && !this.orderOf(ticket) && !this.unpaid(ticket.user))
      .sort((a, b) => a.seq - b.seq)
      .map((ticket, index) => ({ ...ticket, seq: index + 1 }));
    this.tickets.clear();
    for (const ticket of before) if (!LIVE.includes(ticket.status)) this.tickets.set(ticket.user, ticket);
    for (const { user, basket, status } of this.orders) this.tickets.set(user, { user, status, basket, seq: 0 });
    for (const ticket of this.queue) this.tickets.set(ticket.user, ticket);
    this.seq = this.queue.length;
    this.working.clear();
    for (const order of this.orders) if (order.status !== 'awaiting_payment') order.relayed = true;
  }

  /** Units that can be had now. */
  free(item: number): number {
    return (this.stock[item] ?? 0) - this.claimedUnits(item) - this.heldUnits(item) - this.returningUnits(item);
  }

  claimedUnits(item: number): number {
    return unitsIn(this.claims(), item);
  }

  heldUnits(item: number): number {
    return unitsIn(this.orders.filter(({ status }) => status === 'awaiting_payment' || status === 'paid'), item);
  }

  returningUnits(item: number): number {
    return unitsIn(this.orders.filter(({ status, relayed }) => (status === 'cancelled' || status === 'expired') && !relayed), item);
  }

  private unitsOf(user: number, item: number): number {
    const counted = this.orders.filter((order) => order.user === user && (order.status === 'awaiting_payment' || order.status === 'paid' || !order.relayed));
    return unitsIn([...this.claims().filter((ticket) => ticket.user === user), ...counted], item);
  }

  /** Tickets that have tokens and no order. */
  private claims(): ModelTicket[] {
    const reserved = [...this.tickets.values()].filter(({ status }) => status === 'reserved');
    return [...new Set([...this.working, ...reserved])].filter((ticket) => !this.orderOf(ticket));
  }

  /** The order that a ticket became, if it did: both have the same basket, not merely an equal one. */
  private orderOf(ticket: ModelTicket): ModelOrder | undefined {
    return this.orders.find((order) => order.basket === ticket.basket);
  }
}

const isWaiting = ({ status }: ModelTicket): boolean => status === 'queued' || status === 'reserved';
const quantityOf = (basket: Basket, item: number): number => basket.reduce((total, line) => total + (line.item === item ? line.quantity : 0), 0);
const unitsIn = (holders: { basket: Basket }[], item: number): number => holders.reduce((total, { basket }) => total + quantityOf(basket, item), 0);
