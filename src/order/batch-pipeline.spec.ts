import type { SettleOutcome, Settlement } from '../seckill/index.js';
import type { Decision } from './batch-decision.js';
import { runBatches, type BatchSteps } from './batch-pipeline.js';

interface Batch {
  name: string;
  size: number;
}

/**
 * Steps over batches `a`, `b`, … that write down when each begins and ends; what a test says of one of them replaces its end. `-` is a claim
 * of which all went away empty-handed.
 */
class Line {
  readonly log: string[] = [];
  private claimed = 0;
  underWay = 0;

  constructor(
    private readonly names: string,
    private readonly ends: { decide?: Record<string, () => Decision>; settle?: Record<string, () => SettleOutcome> } = {},
  ) {}

  readonly steps: BatchSteps<Batch> = {
    next: (inHand) => this.step(`claim with ${inHand}`, () => this.nextBatch()),
    decide: ({ name }) => this.step(`decide ${name}`, this.ends.decide?.[name] ?? ((): Decision => ({ outcome: 'decided', settlements: [] }))),
    settle: ({ name }, _settlements, behind) => this.step(`settle ${name}${behind ? ` and give back ${behind.name}` : ''}`, this.ends.settle?.[name] ?? ((): SettleOutcome => 'settled')),
    yieldsTo: (_batch, settlements) => settlements.length > 0,
  };

  private nextBatch(): Batch | 'none' | undefined {
    const name = this.names[this.claimed];
    this.claimed += 1;
    if (name === '-') return 'none';
    return name === undefined ? undefined : { name, size: this.claimed };
  }

  private async step<T>(what: string, end: () => T): Promise<T> {
    this.log.push(what);
    this.underWay += 1;
    await new Promise(setImmediate);
    this.underWay -= 1;
    this.log.push(`${what}: over`);
    return end();
  }
}

const failing = (): never => {
  throw new Error('out of order');
};
const begun = (line: Line): string[] => line.log.filter((entry) => !entry.endsWith(': over'));

describe('the batches of a drain', () => {
  it('are committed one at a time, while the one before is settled and then the next one claimed', async () => {
    const line = new Line('abc');
    expect(await runBatches(line.steps)).toBe('drained');
    expect(begun(line)).toEqual(['claim with 0', 'decide a', 'claim with 1', 'settle a', 'decide b', 'claim with 2', 'settle b', 'decide c', 'claim with 3', 'settle c']);
    const at = (entry: string): number => line.log.indexOf(entry);
    expect(at('decide b')).toBeGreaterThan(at('decide a: over'));
    expect(at('claim with 2')).toBeGreaterThan(at('settle a: over'));
    expect(at('claim with 2')).toBeLessThan(at('settle b'));
  });

  it('are none when nobody waits', async () => {
    const line = new Line('');
    expect(await runBatches(line.steps)).toBe('idle');
    expect(line.log).toEqual(['claim with 0', 'claim with 0: over']);
  });

  it('keep nobody waiting for those who go away empty-handed: after one such claim the batch in hand is settled', async () => {
    const line = new Line('a---b');
    expect(await runBatches(line.steps)).toBe('drained');
    expect(begun(line)).toEqual(['claim with 0', 'decide a', 'claim with 1', 'settle a']);
  });

  it('are not over when all who were looked at go away empty-handed: others may wait behind them', async () => {
    const line = new Line('-a');
    expect(await runBatches(line.steps)).toBe('drained');
    expect(await runBatches(line.steps)).toBe('drained');
    expect(begun(line)).toContain('settle a');
  });

  it('give way to a ticket that goes back to the line: what was claimed behind it goes back too, and is not committed', async () => {
    const requeued: Settlement = { ticketId: 't', outcome: 'requeued', drop: [] };
    const line = new Line('abc', { decide: { a: () => ({ outcome: 'decided', settlements: [requeued] }) } });
    expect(await runBatches(line.steps)).toBe('drained');
    expect(begun(line)).toEqual(['claim with 0', 'decide a', 'claim with 1', 'settle a and give back b']);
  });

  it('end at once when the state was built anew: nothing of them is settled, and nothing behind them committed', async () => {
    const line = new Line('abc', { decide: { b: () => ({ outcome: 'stale' }) } });
    expect(await runBatches(line.steps)).toBe('stale');
    expect(begun(line)).not.toContain('settle b');
    expect(begun(line)).not.toContain('decide c');
  });

  it.each(['not_ours', 'stale'] as const)('claim nothing after a settle that was answered %s, and settle what is committed', async (outcome) => {
    const line = new Line('abcd', { settle: { a: () => outcome } });
    expect(await runBatches(line.steps)).toBe('drained');
    expect(begun(line)).toEqual(['claim with 0', 'decide a', 'claim with 1', 'settle a', 'decide b', 'settle b']);
  });

  it.each([['decide', 'a'], ['decide', 'b'], ['settle', 'a'], ['settle', 'c']])('leave no step under way when the %s of %s fails', async (step, name) => {
    const line = new Line('abc', { [step]: { [name]: failing } });
    await expect(runBatches(line.steps)).rejects.toThrow('out of order');
    expect(line.underWay).toBe(0);
  });
});
