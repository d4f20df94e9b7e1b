/** What a shopper can do with a sale. */
export type SalePhase = 'upcoming' | 'live' | 'paused' | 'over';

interface Timed {
  state: 'draft' | 'scheduled' | 'live' | 'paused' | 'ended';
  startsAt: string;
  endsAt: string;
}

/** The phase at a moment of the service's clock. A sale opens and ends by that clock alone, so no answer has to come for it. */
export function phaseOf({ state, startsAt, endsAt }: Timed, nowMs: number): SalePhase {
  if (state === 'ended' || nowMs >= Date.parse(endsAt)) return 'over';
  if (nowMs < Date.parse(startsAt)) return 'upcoming';
  return state === 'paused' ? 'paused' : 'live';
}
