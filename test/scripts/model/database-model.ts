/** A serial of an item. */
export interface Token {
  itemId: string;
  serial: number;
}

export interface OrderRow {
  ticketId: string;
  userId: string;
  tokens: Token[];
  status: 'awaiting_payment' | 'paid' | 'expired' | 'cancelled';
}

/** A row of the outbox: a token on its way back to stock. */
export interface ReturnRow extends Token {
  id: number;
  userId: string | null;
  /** Epoch in which it was put back; null while it is pending. */
  doneIn: number | null;
}

/** What MySQL would know of the sale, kept in plain lists. */
export class DatabaseModel {
  epoch = 1;
  readonly issued: Map<string, number>;
  readonly orders: OrderRow[] = [];
  readonly returns: ReturnRow[] = [];
  /** Tokens that are out of sale: withdrawn, or found in other hands. */
  readonly outOfSale: Token[] = [];

  constructor(stock: Record<string, number>) {
    this.issued = new Map(Object.entries(stock));
  }

  orderOf(ticketId: string): OrderRow | undefined {
    return this.orders.find((order) => order.ticketId === ticketId);
  }

  get liveOrders(): OrderRow[] {
    return this.orders.filter(({ status }) => status === 'awaiting_payment' || status === 'paid');
  }

  get pendingReturns(): ReturnRow[] {
    return this.returns.filter(({ doneIn }) => doneIn === null);
  }

  /** Ends an order. Unless it was paid, its tokens begin their way back. */
  end(order: OrderRow, status: 'paid' | 'expired' | 'cancelled'): void {
    const mayEnd = order.status === 'awaiting_payment' || (order.status === 'paid' && status === 'cancelled');
    if (!mayEnd) return;
    order.status = status;
    if (status !== 'paid') for (const token of order.tokens) this.returnToken(token, order.userId);
  }

  /** A unit that never was in the sale before. */
  issue(itemId: string): void {
    const serial = (this.issued.get(itemId) ?? 0) + 1;
    this.issued.set(itemId, serial);
    this.returnToken({ itemId, serial }, null);
  }

  private returnToken(token: Token, userId: string | null): void {
    this.returns.push({ ...token, id: this.returns.length + 1, userId, doneIn: null });
  }

  get returnsBase(): number {
    return this.pendingReturns[0]?.id ?? this.returns.length + 1;
  }

  /** The serials of an item that a build puts into the stock list. */
  freeSerials(itemId: string): number[] {
    const taken = [...this.liveOrders.flatMap(({ tokens }) => tokens), ...this.pendingReturns, ...this.outOfSale]
      .filter((token) => token.itemId === itemId)
      .map(({ serial }) => serial);
    return Array.from({ length: this.issued.get(itemId) ?? 0 }, (_, index) => index + 1).filter((serial) => !taken.includes(serial));
  }

  /** `<user>:<item>` → units in live orders or on their way back. */
  units(): Map<string, number> {
    const held = this.liveOrders.flatMap(({ userId, tokens }) => tokens.map(({ itemId }) => `${userId}:${itemId}`));
    const returning = this.pendingReturns.filter(({ userId }) => userId !== null).map(({ userId, itemId }) => `${userId}:${itemId}`);
    const units = new Map<string, number>();
    for (const key of [...held, ...returning]) units.set(key, (units.get(key) ?? 0) + 1);
    return units;
  }

  /** Every shopper's newest order. */
  newestOrders(): OrderRow[] {
    return [...new Map(this.orders.map((order) => [order.userId, order])).values()];
  }
}
