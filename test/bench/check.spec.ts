import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accepted, regressions } from '../../bench/check.js';
import { atLeast, atMost } from '../../bench/targets.js';

describe('the guard of the benchmark', () => {
  let folder: string;
  let file: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baseline-'));
    file = join(folder, 'baseline.json');
    await writeFile(file, JSON.stringify({ 'join.cpu': 1, 'join.throughput': 0.9 }));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const cpu = (median: number) => atMost('join.cpu', 'CPU of a join', median, 1.15);
  const throughput = (median: number) => atLeast('join.throughput', 'joins a second', median, 0.87);

  it('passes what is as good as before, within the tolerance', () => {
    expect(regressions([cpu(1.24), throughput(0.73)], file, true)).toEqual([]);
  });

  it('names what got worse, in either direction', () => {
    expect(regressions([cpu(1.26), throughput(0.71)], file, true)).toEqual(['join.cpu: 1.26, was 1.00', 'join.throughput: 0.71, was 0.90']);
  });

  it('does not take what is no number for good', () => {
    expect(regressions([cpu(NaN), throughput(NaN)], file, true)).toHaveLength(2);
  });

  it('names what a whole run did not measure, and what a part has nothing to compare with', () => {
    expect(regressions([cpu(1)], file, true)).toEqual(['join.throughput: not measured']);
    expect(regressions([cpu(1)], file, false)).toEqual([]);
    expect(regressions([], file, false)).toEqual(['nothing that was measured is in the baseline']);
  });

  it('keeps, of a part that is accepted, the rest as it was', () => {
    expect(accepted([cpu(0.98765)], file)).toEqual({ 'join.cpu': 0.988, 'join.throughput': 0.9 });
  });
});
