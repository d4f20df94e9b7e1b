import type { SettleOutcome, Settlement } from '../seckill/index.js';
import type { Decision } from './batch-decision.js';

/** What a drain does with a batch, one step after the other. Each may throw; the batch then stays claimed. */
export interface BatchSteps<Batch extends { size: number }> {
  /** Claims and prepares the next batch, while `inHand` tickets of this drain are being decided. Undefined where there is none now. */
  next(inHand: number): Promise<Batch | undefined>;
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
 *
 * `idle`: there was nothing to do. `stale`: the state was built anew since the claim.
 */
export async function runBatches<Batch extends { size: number }>(steps: BatchSteps<Batch>): Promise<'idle' | 'drained' | 'stale'> {
  let batch = await steps.next(0);
  if (!batch) return 'idle';
  let settling: Promise<SettleOutcome> = Promise.resolve('settled');
  while (batch) {
    const { size } = batch;
    // Without the lease there is nothing to claim.
    const claiming: Promise<Batch | undefined> = settling.then((outcome) => (outcome === 'settled' ? steps.next(size) : undefined));
    const [decision, following]: [Decision, Batch | undefined] = await both(steps.decide(batch), claiming);
    if (decision.outcome === 'stale') return 'stale';
    const behind: Batch | undefined = following && steps.yieldsTo(following, decision.settlements) ? following : undefined;
    settling = steps.settle(batch, decision.settlements, behind);
    batch = behind ? undefined : following;
  }
  await settling;
  return 'drained';
}

/** Both results, and no failure before both are over. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
