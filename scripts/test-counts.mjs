/** `node scripts/test-counts.mjs <results of jest --json>`: one line with the counts of the tests that ran. */
import { existsSync, readFileSync } from 'node:fs';
import { fail } from './lib/console.mjs';

/**
 * @typedef {object} FileResults
 * @property {string} name
 * @property {'passed' | 'failed'} status
 * @property {{ status: string }[]} assertionResults
 */

const [path] = process.argv.slice(2);
if (!path) fail('Usage: node scripts/test-counts.mjs <file>');

const first = read(path);
// Files that were repeated count as they went the second time.
const again = existsSync(`${path}.again`) ? read(`${path}.again`) : [];
const files = [...new Map([...first, ...again].map((file) => [file.name, file])).values()];
const tests = files.flatMap((file) => file.assertionResults);
const failedFiles = files.filter((file) => isFailed(file) && !file.assertionResults.some(isFailed));
if (failedFiles.length > 0) console.log(`${failedFiles.length} test files could not run`);
console.log(`${tests.filter(({ status }) => status === 'passed').length} passed, ${tests.filter(isFailed).length} failed`);
process.exitCode = files.some(isFailed) ? 1 : 0;

/** @param {string} file @returns {FileResults[]} */
function read(file) {
  return JSON.parse(readFileSync(file, 'utf8')).testResults;
}

/** @param {{ status: string }} test */
function isFailed({ status }) {
  return status === 'failed';
}
