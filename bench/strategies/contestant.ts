/**
 * What a run has to show, else the run fails. `right`: no unit too many, none left, nobody twice. `right but slow`: the same, but the lab's
 * time for the crowd may be up before all is sold. `oversells`, `leaves stock`: the known fault, since a lab in which it doesn't appear
 * proves nothing about the others.
 */
export type Expectation = 'right' | 'right but slow' | 'oversells' | 'leaves stock';

/** What the stores hold after a round; nothing of it is taken from answers. */
export interface Books {
  /** Units in orders. */
  sold: number;
  /** What the stock counter says is left. */
  counter: number;
  /** Purchases beyond the first of a shopper. */
  duplicates: number;
  /** Anything else that does not add up, in words. */
  odd: string[];
}

/** A round's sale, ready for the crowd. */
export interface OpenSale {
  url: string;
  /** The body that every shopper sends. */
  body: string;
  /** Waits until nothing of the sale is under way any more; answers when the last unit was sold, by `performance.now()`. */
  settle(): Promise<number>;
  books(): Promise<Books>;
}

/** Whoever takes part: a technique, or this service in one of its modes. */
export interface Contestant {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly ordersIn: 'MySQL' | 'Redis';
  readonly expects: Expectation;
  /** The Node processes whose CPU time is its own. */
  readonly pids: number[];
  /** A new sale with its own stock, which no earlier round has touched. */
  openSale(stock: number): Promise<OpenSale>;
}
