import type { SettleOutcome, Settlement } from '../seckill/index.js';
import type { Decision } from './batch-decision.js';

/** What a drain does with a batch, one step after the other. Each may throw; the batch then stays claimed. */
export interface BatchSteps<Batch extends { size: number }> {
  /**
   * Claims once, and prepares what it got, while `inHand` tickets of this drain are being decided. Undefined where nobody can be claimed now;
   * `none` where all whom it looked at went away empty-handed, and others may wait behind them.
   */
  next(inHand: number): Promise<Batch | 'none' | undefined>;
  /** Commits its orders. */
  decide(batch: Batch): Promise<Decision>;
  /** Tells its tickets. The tickets of `behind`, of which nothing was committed, go back to their places in the line in the same step. */
  settle(batch: Batch, settlements: Settlement[], behind?: Batch): Promise<SettleOutcome>;
  /** Whether tickets that were claimed later could take what these ask for once more. */
  yieldsTo(batch: Batch, settlements: Settlement[]): boolean;
}

/**
 * Takes batch after batch through its steps until there is no next one. While MySQL commits a batch, the one before is settled, and then
 * the next one is claimed. What holds:
 *
 * - Batches are committed one at a time, and in the order of their claims; so they are settled.
 * - When a batch is claimed, only the one before it is in hand.
 * - When this ends, in whatever way, no step is under way. What is claimed and unsettled then, two batches at most, is for the next claim,
 *   which hands it out again.
 * - Who is in a batch that was committed waits for one more claim at most before being told, however many go away empty-handed behind it.
 *
 * `idle`: there was nothing to do. `drained`: there may be more. `stale`: the state was built anew since the claim.
 */
export async function runBatches<Batch extends { size: number }>(steps: BatchSteps<Batch>): Promise<'idle' | 'drained' | 'stale'> {
  const first = await steps.next(0);
  if (first === undefined) return 'idle';
  let batch = orNothing(first);
  let settling: Promise<SettleOutcome> = Promise.resolve('settled');
  while (batch) {
    const { size } = batch;
    // Without the lease there is nothing to claim.
    const claiming: Promise<Batch | undefined> = settling.then(async (outcome) => (outcome === 'settled' ? orNothing(await steps.next(size)) : undefined));
    const [decision, following]: [Decision, Batch | undefined] = await both(steps.decide(batch), claiming);
    if (decision.outcome === 'stale') return 'stale';
    const behind: Batch | undefined = following && steps.yieldsTo(following, decision.settlements) ? following : undefined;
    settling = steps.settle(batch, decision.settlements, behind);
    batch = behind ? undefined : following;
  }
  await settling;
  return 'drained';
}

const orNothing = <Batch>(next: Batch | 'none' | undefined): Batch | undefined => (next === 'none' ? undefined : next);

/** Both results, and no failure before both are over. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
