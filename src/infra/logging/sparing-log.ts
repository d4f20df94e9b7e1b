interface Kind {
  held: number;
  writeLast: (leftOut: number) => void;
}

/**
 * Writes of each kind of event one line in a while, however many there are: thousands of lines that say the same help nobody, and cost a
 * process in trouble more than the trouble. No event goes uncounted: the first is written at once, and after each while the newest of those
 * that were held back, with how many more were left out.
 */
export class SparingLog {
  private readonly kinds = new Map<string, Kind>();

  constructor(private readonly everyMs = 1000) {}

  /** @param kind must be one of few. @param write writes the line; what it is given was left out beside it */
  say(kind: string, write: (leftOut: number) => void): void {
    const known = this.kinds.get(kind);
    if (known) {
      known.held += 1;
      known.writeLast = write;
      return;
    }
    this.hold(kind, write);
    write(0);
  }

  private hold(kind: string, write: (leftOut: number) => void): void {
    const entry: Kind = { held: 0, writeLast: write };
    this.kinds.set(kind, entry);
    setTimeout(() => {
      this.kinds.delete(kind);
      if (entry.held === 0) return;
      this.hold(kind, entry.writeLast);
      entry.writeLast(entry.held - 1);
    }, this.everyMs).unref();
  }
}
