/** `npm test [-- <arguments of jest>]`: all tests, on private services of their own. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBinaries } from './lib/binaries.mjs';
import { ensureBuild } from './lib/build.mjs';
import { linesTo, runMain } from './lib/console.mjs';
import { cleanUpAfterDeadOwner } from './lib/data-folder.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { requireNode } from './lib/project.mjs';
import { nodeCommand, outliveCommands, run } from './lib/run.mjs';
import { readSettings } from './lib/settings.mjs';
import { FAILED_FILES, FALLEN_SERVERS } from '../test/harness/run-notes.mjs';

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

/** The fault suite, which runs through here as well, opens no page. */
const OF_FAULTS = 'jest.faults.config.mjs';

// As jest itself does: stdout is left to what was asked for with --json.
const lines = linesTo(process.stderr);

await runMain(async () => {
  requireNode();
  outliveCommands();
  await ensurePackages(lines);
  await ensureBinaries({ mysql: true, redis: true, browser: !process.argv.includes(OF_FAULTS) }, lines);
  await ensureBuild(lines);
  const runs = join(readSettings().dataDir, 'tests');
  await removeDeadRuns(runs);
  const dataDir = join(runs, String(process.pid));
  mkdirSync(dataDir, { recursive: true });
  const env = { ...process.env, TEST_DATA_DIR: dataDir };
  const args = process.argv.slice(2);
  let code = await run(nodeCommand, [...JEST, ...args], { env });
  const files = code === 1 ? filesToRepeat(dataDir, args) : [];
  if (files.length > 0) code = await run(nodeCommand, [...JEST, ...args.map(toSecondResults), '--runTestsByPath', ...files], { env });
  // A run that was interrupted had no chance to stop its services.
  await removeRun(dataDir);
  return code;
});

/**
 * What failed in a run of all tests in which one of their servers ended by itself (the machine's memory, a fault of the server's): that says
 * nothing about the tests. Once, since whatever makes a server end will do it again.
 *
 * @param {string} dataDir
 * @param {string[]} args
 * @returns {string[]}
 */
function filesToRepeat(dataDir, args) {
  const isWhole = args.every((arg) => arg.startsWith('-'));
  if (!isWhole || !existsSync(join(dataDir, FALLEN_SERVERS)) || !existsSync(join(dataDir, FAILED_FILES))) return [];
  const files = readFileSync(join(dataDir, FAILED_FILES), 'utf8').split('\n').filter(Boolean);
  lines.say(`${readFileSync(join(dataDir, FALLEN_SERVERS), 'utf8').trim()}: once more the ${files.length} test files that failed`);
  return files;
}

/** `scripts/test-counts.mjs` puts the two together. @param {string} arg */
function toSecondResults(arg) {
  return arg.startsWith('--outputFile=') ? `${arg}.again` : arg;
}

/** @param {string} runs */
async function removeDeadRuns(runs) {
  mkdirSync(runs, { recursive: true });
  for (const name of readdirSync(runs)) {
    if (!isRunning(Number(name))) await removeRun(join(runs, name));
  }
}

/** A run may have several sets of services, one for each of jest's workers in a folder below. @param {string} dataDir */
async function removeRun(dataDir) {
  const sets = readdirSync(dataDir).map((name) => join(dataDir, name)).filter((path) => existsSync(join(path, 'lock')));
  const cleaned = await Promise.all([dataDir, ...sets].map((dir) => cleanUpAfterDeadOwner(dir, lines.say)));
  if (cleaned.every(Boolean)) rmSync(dataDir, { recursive: true, force: true });
}

/** Before its services are up, a run has no lock yet. @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
