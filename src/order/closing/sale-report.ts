import { ORDER_STATUSES } from '../order-status.js';
import { addUp, type SaleCount } from '../stats/sale-counts.js';
import type { SaleReportView } from './sale-report.view.js';

/** What a report is made of, as MySQL has it. */
export interface ReportFigures {
  sale: { id: string; title: string; startsAt: Date; endsAt: Date; currency: string };
  closedAt: Date | null;
  /** When it began to sell: its start, or its publication where that came later. */
  openedAt: Date;
  /** When it ended, if it has. */
  endedAt: Date | null;
  counts: SaleCount[];
  orders: { status: string; orders: number; amountMinor: number }[];
  items: { itemId: string; title: string; stock: number; sold: number }[];
  soldOutAt: Date | null;
  /** Milliseconds from join to order. */
  waits: { p50: number; p90: number; p99: number; longest: number } | null;
}

/** Puts the figures of a sale together. */
export function reportOf({ sale, closedAt, openedAt, endedAt, counts, orders, items, soldOutAt, waits }: ReportFigures): SaleReportView {
  const { joins, refusals, decided, decisions } = addUp(counts);
  const byStatus = new Map(orders.map((entry) => [entry.status, entry]));
  const amountOf = (status: string): number => byStatus.get(status)?.amountMinor ?? 0;
  return {
    saleId: sale.id,
    title: sale.title,
    startsAt: sale.startsAt.toISOString(),
    endsAt: sale.endsAt.toISOString(),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
    ...(closedAt && { closedAt: closedAt.toISOString() }),
    joins,
    refusals,
    decided,
    decisions,
    orders: Object.fromEntries(ORDER_STATUSES.map((status) => [status, byStatus.get(status)?.orders ?? 0])),
    currency: sale.currency,
    paidMinor: amountOf('paid'),
    refundedMinor: amountOf('refunded'),
    items: items.map((item) => ({ ...item, left: item.stock - item.sold })),
    ...(soldOutAt && { soldOutAt: soldOutAt.toISOString(), secondsToSellOut: Math.max(0, soldOutAt.getTime() - openedAt.getTime()) / 1000 }),
    ...(waits && { waitMs: waits }),
  };
}

/** The report as a table of two columns: `items.12.sold` and the like beside their values. */
export function reportRows(report: SaleReportView): [figure: string, value: string][] {
  const { items, ...rest } = report;
  return flatten({ ...rest, items: Object.fromEntries(items.map(({ itemId, ...item }) => [itemId, item])) }, '');
}

const cell = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function flatten(value: object, prefix: string): [string, string][] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): [string, string][] =>
    typeof member === 'object' && member !== null ? flatten(member, `${prefix}${name}.`) : [[`${prefix}${name}`, cell(member)]],
  );
}
