/** Places a token can be in. */
export const TOKEN_PLACES = ['inList', 'claimed', 'held', 'returning', 'withdrawn'] as const;
export type TokenPlace = (typeof TOKEN_PLACES)[number];

/** A token that is not in exactly one place. */
export interface OddToken {
  serial: number;
  /** Where it was found: nowhere, or in several places (a place is named as often as it holds the token). */
  places: TokenPlace[];
}

/** The whereabouts of every token of one sale item, as found. */
export class TokenLedger {
  private readonly first: Uint8Array;
  private readonly others = new Map<number, TokenPlace[]>();
  readonly counts: Record<TokenPlace, number> = { inList: 0, claimed: 0, held: 0, returning: 0, withdrawn: 0 };

  /** @param issued serials 1..issued exist */
  constructor(private readonly issued: number) {
    this.first = new Uint8Array(issued + 1);
  }

  /** Notes that a token was found in a place. */
  found(serial: number, place: TokenPlace): void {
    this.counts[place] += 1;
    const isKnown = Number.isInteger(serial) && serial >= 1 && serial <= this.issued;
    if (isKnown && this.first[serial] === 0) this.first[serial] = TOKEN_PLACES.indexOf(place) + 1;
    else this.others.set(serial, [...(this.others.get(serial) ?? []), place]);
  }

  /**
   * The tokens that are not in exactly one place, lowest serial first. Serials that were never issued are odd wherever they are;
   * missing ones only count when `freeAreListed`, that is when the free tokens should stand in Redis.
   */
  odd(freeAreListed: boolean): OddToken[] {
    const odd: OddToken[] = [];
    for (let serial = 1; freeAreListed && serial <= this.issued; serial += 1) {
      if (this.first[serial] === 0) odd.push({ serial, places: [] });
    }
    for (const [serial, more] of this.others) {
      const first = TOKEN_PLACES[(this.first[serial] ?? 0) - 1];
      odd.push({ serial, places: first ? [first, ...more] : more });
    }
    return odd.sort((a, b) => a.serial - b.serial);
  }
}

/** The tokens that are odd in the same way in both findings: not merely on the move while they were counted. */
export function stillOdd<T extends OddToken>(before: OddToken[], now: T[]): T[] {
  const key = (token: OddToken): string => `${token.serial}:${token.places.join()}`;
  const known = new Set(before.map(key));
  return now.filter((token) => known.has(key(token)));
}
