import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { ClaimedTicket, Sale, SaleItem } from '../goods/index.js';
import type { NewOrder, NewOrderLine } from './order.repository.js';

const RANDOM_BYTES = 16;

/**
 * Makes the orders of claimed tickets: prices and titles as they are in the sale now, and a deadline on a whole second, because one
 * delayed job serves all orders of a second. Their ids begin with the millisecond of `createdAt` (docs/decisions/0019), and rise in the
 * order of the tickets.
 */
export function draftOrders(sale: Sale, tickets: ClaimedTicket[], nowMs: number): NewOrder[] {
  // Drawn at once: a draw for each id costs more than all the rest of its order.
  const random = randomBytes(tickets.length * RANDOM_BYTES);
  return tickets.map((ticket, place) => {
    const id = uuidv7({ msecs: nowMs, seq: place, random: random.subarray(place * RANDOM_BYTES, (place + 1) * RANDOM_BYTES) });
    return draftOrder(id, sale, ticket, nowMs);
  });
}

function draftOrder(id: string, sale: Sale, ticket: ClaimedTicket, nowMs: number): NewOrder {
  const lines = ticket.lines.map((line) => draftLine(sale.items, line));
  return {
    id,
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
