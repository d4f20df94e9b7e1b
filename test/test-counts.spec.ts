import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Results = Record<string, string[]>;

describe('the counts of a run', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'seckill-counts-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  /** As jest writes them; a file of which no test failed and which failed all the same could not run. */
  const write = (name: string, results: Results): Promise<void> =>
    writeFile(join(dir, name), JSON.stringify({
      testResults: Object.entries(results).map(([file, [status, ...tests]]) => ({ name: file, status, assertionResults: tests.map((of) => ({ status: of })) })),
    }));

  const count = (): Promise<[code: number, said: string]> =>
    new Promise((resolve) => {
      execFile(process.execPath, ['scripts/test-counts.mjs', join(dir, 'results')], (error, stdout) => resolve([Number(error?.code ?? 0), stdout]));
    });

  it('are of all files', async () => {
    await write('results', { a: ['passed', 'passed', 'pending'], b: ['passed', 'passed'] });
    expect(await count()).toEqual([0, '2 passed, 0 failed\n']);
  });

  it('tell of files that could not run', async () => {
    await write('results', { a: ['failed'], b: ['passed', 'passed'] });
    expect(await count()).toEqual([1, '1 test files could not run\n1 passed, 0 failed\n']);
  });

  it('take repeated files as they went the second time', async () => {
    await write('results', { a: ['failed', 'failed', 'failed'], b: ['passed', 'passed'] });
    await write('results.again', { a: ['passed', 'passed', 'passed'] });
    expect(await count()).toEqual([0, '3 passed, 0 failed\n']);
  });

  it('fail for what failed the second time, too, and for what was not repeated', async () => {
    await write('results', { a: ['failed', 'failed', 'failed'], b: ['failed', 'failed'] });
    await write('results.again', { a: ['failed', 'passed', 'failed'] });
    expect(await count()).toEqual([1, '1 passed, 2 failed\n']);
    await write('results.again', { a: ['passed', 'passed', 'passed'] });
    expect(await count()).toEqual([1, '2 passed, 1 failed\n']);
  });
});
