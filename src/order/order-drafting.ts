import { v7 as uuidv7 } from 'uuid';
import type { ClaimedTicket, Sale, SaleItem } from '../goods/index.js';
import type { NewOrder, NewOrderLine } from './order.repository.js';

/**
 * Makes the order of a claimed ticket: prices and titles as they are in the sale now, and a deadline on a whole second, because one
 * delayed job serves all orders of a second. Its id begins with the millisecond of `createdAt` (docs/decisions/0019).
 * @param place in the batch; orders of one batch have their ids in this order
 */
export function draftOrder(sale: Sale, ticket: ClaimedTicket, nowMs: number, place: number): NewOrder {
  const lines = ticket.lines.map((line) => draftLine(sale.items, line));
  return {
    id: uuidv7({ msecs: nowMs, seq: place }),
    ticketId: ticket.ticketId,
    userId: ticket.userId,
    amountMinor: lines.reduce((sum, line) => sum + line.unitPriceMinor * line.quantity, 0),
    currency: sale.items[0]?.currency ?? '',
    joinedAt: ticket.joinedAtMs > 0 ? new Date(ticket.joinedAtMs) : null,
    createdAt: new Date(nowMs),
    payBefore: new Date((Math.ceil(nowMs / 1000) + sale.paymentTimeoutSeconds) * 1000),
    lines,
  };
}

function draftLine(items: SaleItem[], { itemId, quantity, serials }: ClaimedTicket['lines'][number]): NewOrderLine {
  const item = items.find((candidate) => candidate.id === itemId);
  if (!item) throw new RangeError(`item ${itemId} is not in the sale`);
  const { goodsId, goods, priceMinor, limitPerUser } = item;
  return { itemId, goodsId, title: goods.title, quantity, unitPriceMinor: priceMinor, limitPerUser, serials };
}
