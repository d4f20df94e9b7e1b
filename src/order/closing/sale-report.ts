import { ORDER_STATUSES } from '../order-status.js';
import type { SaleReportView } from './sale-report.view.js';

/** What a report is made of, as MySQL has it. */
export interface ReportFigures {
  sale: { id: string; title: string; startsAt: Date; endsAt: Date; currency: string };
  closedAt: Date | null;
  /** When it began to sell: its start, or its publication where that came later. */
  openedAt: Date;
  /** When it ended, if it has. */
  endedAt: Date | null;
  counts: { kind: string; outcome: string; tickets: number }[];
  orders: { status: string; orders: number; amountMinor: number }[];
  items: { itemId: string; title: string; stock: number; sold: number }[];
  soldOutAt: Date | null;
  /** Milliseconds from join to order. */
  waits: { p50: number; p90: number; p99: number; longest: number } | null;
}

const ACCEPTED = ['queued', 'reserved'];
const FINAL = ['ordered', 'sold_out', 'rejected'];

/** Puts the figures of a sale together. */
export function reportOf({ sale, closedAt, openedAt, endedAt, counts, orders, items, soldOutAt, waits }: ReportFigures): SaleReportView {
  const joins = counts.filter(({ kind }) => kind === 'join');
  const decisions = counts.filter(({ kind, outcome }) => kind === 'decision' && FINAL.includes(outcome));
  const byStatus = new Map(orders.map((entry) => [entry.status, entry]));
  const amountOf = (status: string): number => byStatus.get(status)?.amountMinor ?? 0;
  return {
    saleId: sale.id,
    title: sale.title,
    startsAt: sale.startsAt.toISOString(),
    endsAt: sale.endsAt.toISOString(),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
    ...(closedAt && { closedAt: closedAt.toISOString() }),
    joins: sum(joins.filter(({ outcome }) => ACCEPTED.includes(outcome))),
    refusals: Object.fromEntries(joins.filter(({ outcome }) => !ACCEPTED.includes(outcome)).map(({ outcome, tickets }) => [outcome, tickets])),
    decided: sum(decisions),
    decisions: Object.fromEntries(decisions.map(({ outcome, tickets }) => [outcome, tickets])),
    orders: Object.fromEntries(ORDER_STATUSES.map((status) => [status, byStatus.get(status)?.orders ?? 0])),
    currency: sale.currency,
    paidMinor: amountOf('paid'),
    refundedMinor: amountOf('refunded'),
    items: items.map((item) => ({ ...item, left: item.stock - item.sold })),
    ...(soldOutAt && { soldOutAt: soldOutAt.toISOString(), secondsToSellOut: Math.max(0, soldOutAt.getTime() - openedAt.getTime()) / 1000 }),
    ...(waits && { waitMs: waits }),
  };
}

const sum = (counts: { tickets: number }[]): number => counts.reduce((total, { tickets }) => total + tickets, 0);

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
