import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAILED_FILES } from './run-notes.mjs';

/** Notes which test files failed, for a second look where a server of the tests had ended by itself. */
export default class FailedFiles {
  /**
   * @param {unknown} _contexts
   * @param {{ testResults: { testFilePath: string, numFailingTests: number, testExecError?: unknown }[] }} results
   */
  onRunComplete(_contexts, { testResults }) {
    if (!process.env.TEST_DATA_DIR) return;
    const failed = testResults.filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError);
    writeFileSync(join(process.env.TEST_DATA_DIR, FAILED_FILES), failed.map(({ testFilePath }) => testFilePath).join('\n'));
  }
}
