import type { EntityManager } from 'typeorm';
import { date, integer, nullable, select, text, type Row } from '../infra/database/index.js';
import { SHADOW_SALE_IDS } from '../goods/index.js';
import { eventType, type OutgoingEvent } from './event-types.js';

/**
 * Turns rows of `order_events` into events that show the order as it was then: what may have changed since is taken from the row. Lines and
 * prices never change. Orders of shadow sales are nobody's business. Indexes: PRIMARY of orders and order_lines, ix_sales_rehearsal.
 */
export async function orderEvents(manager: EntityManager, rows: Row[]): Promise<OutgoingEvent[]> {
  const orderIds = [...new Set(rows.map((row) => text(row, 'order_id')))];
  const orders = await select(
    manager,
    `SELECT id, sale_id, user_id, ticket_id, amount_minor, currency, created_at, pay_before, paid_at FROM orders
      WHERE id IN (?) AND sale_id NOT IN (${SHADOW_SALE_IDS})`,
    [orderIds],
  );
  const lines = await select(
    manager,
    `SELECT order_id, sale_item_id, goods_id, title, quantity, unit_price_minor FROM order_lines
      WHERE order_id IN (?) ORDER BY order_id, sale_item_id`,
    [orderIds],
  );
  const orderOf = new Map(orders.map((order) => [text(order, 'id'), order]));
  const linesOf = new Map<string, Row[]>();
  for (const line of lines) linesOf.set(text(line, 'order_id'), [...(linesOf.get(text(line, 'order_id')) ?? []), line]);
  return rows.flatMap((row) => {
    const order = orderOf.get(text(row, 'order_id'));
    return order ? [toEvent(row, order, linesOf.get(text(order, 'id')) ?? [])] : [];
  });
}

function toEvent(row: Row, order: Row, lines: Row[]): OutgoingEvent {
  const status = text(row, 'to_status');
  const createdAt = date(row, 'created_at');
  const paidAt = status === 'paid' ? createdAt : status === 'refunded' ? nullable(date, order, 'paid_at') : null;
  const snapshot = {
    id: text(order, 'id'),
    saleId: text(order, 'sale_id'),
    ticketId: text(order, 'ticket_id'),
    userId: text(order, 'user_id'),
    status,
    amountMinor: integer(order, 'amount_minor'),
    currency: text(order, 'currency'),
    lines: lines.map(toLine),
    createdAt: date(order, 'created_at').toISOString(),
    payBefore: date(order, 'pay_before').toISOString(),
    ...(paidAt === null ? {} : { paidAt: paidAt.toISOString() }),
  };
  return { id: `evt_order_${text(row, 'id')}`, type: eventType(`order.${status}`), orderingKey: `order:${snapshot.id}`, createdAt, data: { order: snapshot } };
}

const toLine = (row: Row): Record<string, unknown> => ({
  itemId: text(row, 'sale_item_id'),
  goodsId: text(row, 'goods_id'),
  title: text(row, 'title'),
  quantity: integer(row, 'quantity'),
  unitPriceMinor: integer(row, 'unit_price_minor'),
});
