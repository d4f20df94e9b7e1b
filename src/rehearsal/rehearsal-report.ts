/** Half of them, and all but one in a hundred, took no longer. */
export interface Percentiles {
  p50: number;
  p99: number;
}

/** What a rehearsal has shown. */
export interface RehearsalReport {
  proofOk: boolean;
  /** Tokens that are not in exactly one place. */
  oddTokens: number;
  /** From the first join to the end of the proof. */
  seconds: number;
  joins: number;
  joinsPerSecond: number;
  ordersPerSecond: number;
  /** From a join to its answer. */
  joinMs: Percentiles;
  /** From a join until the shopper knows what became of it, looking as often as the service asks for. */
  decidedMs: Percentiles;
  /** Orders that were made. */
  sold: number;
  soldOut: number;
  paid: number;
  cancelled: number;
}

/** What the crowd has met with so far; times in milliseconds. */
export class Tally {
  readonly joinMs: number[] = [];
  readonly decidedMs: number[] = [];
  readonly orders: { orderId: string; token: string }[] = [];
  soldOut = 0;
  /** Shoppers who got neither an order nor the word that all is sold, by what they were told. */
  readonly oddEnds = new Map<string, number>();
  paid = 0;
  cancelled = 0;
  readonly startedMs = performance.now();
  lastJoinMs = this.startedMs;
  lastOrderMs = this.startedMs;

  endedOddly(how: string): void {
    this.oddEnds.set(how, (this.oddEnds.get(how) ?? 0) + 1);
  }
}

/** The places of the tokens, as the proof has found them. */
export interface ProvenSale {
  ok: boolean;
  odd: number;
  held: number;
}

export function reportOf(tally: Tally, proof: ProvenSale): RehearsalReport {
  const { joinMs, decidedMs, orders, soldOut, paid, cancelled, startedMs, lastJoinMs, lastOrderMs } = tally;
  return {
    proofOk: proof.ok,
    oddTokens: proof.odd,
    seconds: rounded((performance.now() - startedMs) / 1000),
    joins: joinMs.length,
    joinsPerSecond: rate(joinMs.length, lastJoinMs - startedMs),
    ordersPerSecond: rate(orders.length, lastOrderMs - startedMs),
    joinMs: percentiles(joinMs),
    decidedMs: percentiles(decidedMs),
    sold: orders.length,
    soldOut,
    paid,
    cancelled,
  };
}

/** What speaks against the sale; empty for one that went as it must. */
export function faultsOf({ shoppers, stock }: { shoppers: number; stock: number }, tally: Tally, proof: ProvenSale): string[] {
  const { orders, soldOut, oddEnds, cancelled } = tally;
  const expected = Math.min(shoppers, stock);
  const live = orders.length - cancelled;
  return [
    ...(proof.ok ? [] : [`${proof.odd} tokens are not in exactly one place`]),
    ...(orders.length > expected ? [`${orders.length} orders were made for ${expected} units that could be sold`] : []),
    ...(orders.length < expected ? [`${expected - orders.length} units were left over`] : []),
    ...(orders.length + soldOut === shoppers ? [] : [`${shoppers - orders.length - soldOut} shoppers got no plain answer (${[...oddEnds.keys()].join(', ')})`]),
    ...(proof.held === live ? [] : [`live orders hold ${proof.held} units, and there are ${live} of them`]),
  ];
}

/** By rank, as the sale's report does. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => rounded(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}

const rate = (count: number, ms: number): number => (ms <= 0 ? 0 : rounded((count * 1000) / ms));
const rounded = (value: number): number => Math.round(value * 10) / 10;
