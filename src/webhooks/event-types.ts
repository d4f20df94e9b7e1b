export const ORDER_EVENT_TYPES = ['order.awaiting_payment', 'order.paid', 'order.expired', 'order.cancelled', 'order.refunded'] as const;
export const SALE_EVENT_TYPES = ['sale.opened', 'sale.sold_out', 'sale.ended'] as const;
export const EVENT_TYPES = [...ORDER_EVENT_TYPES, ...SALE_EVENT_TYPES] as const;

export type SaleEventType = (typeof SALE_EVENT_TYPES)[number];
export type EventType = (typeof EVENT_TYPES)[number];

/** Reads a type that comes from a column. @throws TypeError for any other word */
export function eventType(word: string): EventType {
  const known = EVENT_TYPES.find((type) => type === word);
  if (known === undefined) throw new TypeError(`"${word}" is no type of an event`);
  return known;
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Something that happened, ready to be handed to the endpoints that want it. */
export interface OutgoingEvent {
  /** The same at every endpoint and for each try; receivers know a repeat by it. */
  id: string;
  type: EventType;
  /** Events of one key arrive in their order: that of an order or of a sale. */
  orderingKey: string;
  createdAt: Date;
  data: Record<string, unknown>;
}
