/** `node scripts/test-counts.mjs <results of jest --json>`: one line with the counts of the tests that ran. */
import { readFileSync } from 'node:fs';
import { fail } from './lib/console.mjs';

const [path] = process.argv.slice(2);
if (!path) fail('Usage: node scripts/test-counts.mjs <file>');

/** @type {{ numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number, success: boolean }} */
const results = JSON.parse(readFileSync(path, 'utf8'));
if (results.numRuntimeErrorTestSuites > 0) console.log(`${results.numRuntimeErrorTestSuites} test files could not run`);
console.log(`${results.numPassedTests} passed, ${results.numFailedTests} failed`);
process.exitCode = results.success ? 0 : 1;
