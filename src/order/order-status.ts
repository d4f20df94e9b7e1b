export const ORDER_STATUSES = ['awaiting_payment', 'paid', 'expired', 'cancelled', 'refunded'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Which status may follow which. Everything that is not listed here does not happen. */
export const NEXT_STATUSES = {
  awaiting_payment: ['paid', 'expired', 'cancelled'],
  paid: ['refunded'],
  // Paid too late, and units were still free.
  expired: ['paid'],
  cancelled: ['paid'],
  refunded: [],
} as const satisfies Record<OrderStatus, readonly OrderStatus[]>;

type Next<From extends OrderStatus> = (typeof NEXT_STATUSES)[From][number];

/** One allowed step of an order; any other pair does not compile. */
export type Transition = { [From in OrderStatus]: { from: From; to: Next<From> } }[OrderStatus];

/** Names an allowed step, for the code that takes it. */
export function transition<From extends OrderStatus>(from: From, to: Next<From>): { from: From; to: Next<From> } {
  return { from, to };
}

/** Whether `to` may follow `from`. */
export function mayBecome(from: OrderStatus, to: OrderStatus): boolean {
  const next: readonly OrderStatus[] = NEXT_STATUSES[from];
  return next.includes(to);
}

/** Whether an order in this status holds its stock tokens. */
export function holdsTokens(status: OrderStatus): boolean {
  return status === 'awaiting_payment' || status === 'paid';
}

/**
 * Reads a status that comes from outside, such as a database column.
 * @throws TypeError for any other word
 */
export function orderStatus(word: string): OrderStatus {
  const known = ORDER_STATUSES.find((status) => status === word);
  if (known === undefined) throw new TypeError(`"${word}" is no status of an order`);
  return known;
}
