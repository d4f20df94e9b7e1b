import { integer, select, text, type Executor } from '../../infra/database/index.js';
import { percentileOf, type WaitCounts } from './wait-buckets.js';

/** One of the figures that the processes count and add to MySQL. */
export interface SaleCount {
  kind: string;
  outcome: string;
  tickets: number;
}

const ACCEPTED = ['queued', 'reserved'];
const FINAL = ['ordered', 'sold_out', 'rejected'];

/** All that was counted for a sale: some hundred rows at most, by the primary key of sale_counts. */
export async function readCounts(executor: Executor, saleId: string): Promise<SaleCount[]> {
  const rows = await select(executor, 'SELECT kind, outcome, tickets FROM sale_counts WHERE sale_id = ? ORDER BY kind, outcome', [saleId]);
  return rows.map((row) => ({ kind: text(row, 'kind'), outcome: text(row, 'outcome'), tickets: integer(row, 'tickets') }));
}

/** What the counts of a sale come to. */
export interface CountedSale {
  /** Joins that were let in. */
  joins: number;
  /** Joins that were refused, by code. */
  refusals: Record<string, number>;
  refused: number;
  /** Tickets that became orders, were sold out or rejected. */
  decided: number;
  /** The same by outcome. */
  decisions: Record<string, number>;
}

export function addUp(counts: readonly SaleCount[]): CountedSale {
  const joins = counts.filter(({ kind }) => kind === 'join');
  const refusals = joins.filter(({ outcome }) => !ACCEPTED.includes(outcome));
  const decisions = counts.filter(({ kind, outcome }) => kind === 'decision' && FINAL.includes(outcome));
  return {
    joins: sum(joins.filter(({ outcome }) => ACCEPTED.includes(outcome))),
    refusals: byOutcome(refusals),
    refused: sum(refusals),
    decided: sum(decisions),
    decisions: byOutcome(decisions),
  };
}

/** Milliseconds from join to decided order, from what the drain has counted; none while nothing was. */
export function waitsOf(counts: readonly SaleCount[]): { p50: number; p99: number } | null {
  const waits: WaitCounts = counts.filter(({ kind }) => kind === 'wait').map(({ outcome, tickets }) => ({ ms: Number(outcome), tickets }));
  const [p50, p99] = [percentileOf(waits, 0.5), percentileOf(waits, 0.99)];
  return p50 === null || p99 === null ? null : { p50, p99 };
}

const sum = (counts: readonly SaleCount[]): number => counts.reduce((total, { tickets }) => total + tickets, 0);

const byOutcome = (counts: readonly SaleCount[]): Record<string, number> => Object.fromEntries(counts.map(({ outcome, tickets }) => [outcome, tickets]));
