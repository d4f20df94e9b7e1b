import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onStopSignal } from '../scripts/lib/stop-signals.mjs';
import { reasonOf } from '../src/infra/errors.js';

const RESULTS = 'bench/results';

/** A part of the benchmark with servers and results of its own. */
export interface Kit<T> {
  /** Of its files among the results. */
  name: string;
  /** Whether this run is what the committed results are of; another one must not replace them. */
  isWhole: boolean;
  /** @param dataDir an empty folder, for as long as it measures @param signal aborted when the run is to stop */
  measure: (dataDir: string, signal: AbortSignal) => Promise<T>;
  asMarkdown: (result: T) => string;
}

/** Says how far the run is. */
export const say = (text: string): boolean => process.stderr.write(`${(performance.now() / 1000).toFixed(0)} s: ${text}\n`);

/** Measures, writes the results and shows them; a signal ends it in good order. @returns the exit code */
export async function runKit<T>({ name, isWhole, measure, asMarkdown }: Kit<T>): Promise<number> {
  const stopping = new AbortController();
  onStopSignal((signal) => stopping.abort(new Error(`interrupted by ${signal}`)));
  const dataDir = await mkdtemp(join(tmpdir(), 'seckill-bench-'));
  try {
    const result = await measure(dataDir, stopping.signal);
    const folder = isWhole ? RESULTS : join(RESULTS, 'tmp');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
    await writeFile(join(folder, `${name}.md`), asMarkdown(result));
    process.stdout.write(asMarkdown(result));
    say(`results in ${folder}`);
    return 0;
  } catch (error) {
    // The terminal tells all processes at once, so whatever failed then failed because of it.
    if (!stopping.signal.aborted) throw error;
    say(reasonOf(stopping.signal.reason));
    return 130;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
